"""What kernels would do on a GPU, and how long they would take: docs/predict.md."""
