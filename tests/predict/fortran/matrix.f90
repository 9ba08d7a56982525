! Matrices: product, transposition, steps of LU, triangles.
program matrix
  integer, parameter :: n = 44, m = 35
  real :: a(n, m), b(m, n), c(n, n), t(n, m); real(8) :: lu(n, n), x(n), y(n), pivot
  integer :: i, j, k; real :: s
  a = 1; b = 2; x = 1; lu = 1
!DVM$ PARALLEL (j, i) ON c(i, j), PRIVATE(s, k)
  do j = 1, n; do i = 1, n
    s = 0
    do k = 1, m; s = s + a(i, k) * b(k, j); end do
    c(i, j) = s
  end do; end do
!DVM$ PARALLEL (j, i) ON t(i, j)
  do j = 1, m; do i = 1, n; t(i, j) = b(j, i); end do; end do
!DVM$ PARALLEL (i, j) ON b(j, i)
  do i = 1, n; do j = 1, m; b(j, i) = t(i, j); end do; end do
  do k = 1, n - 1
!DVM$ PARALLEL (i) ON lu(i, k)
    do i = k + 1, n; lu(i, k) = lu(i, k) / lu(k, k); end do
!DVM$ PARALLEL (j, i) ON lu(i, j)
    do j = k + 1, n; do i = k + 1, n
      lu(i, j) = lu(i, j) - lu(i, k) * lu(k, j)
  end do; end do; end do
  do j = n, 2, -2
!DVM$ PARALLEL (i) ON x(i)
    do i = 1, j - 1; x(i) = x(i) - lu(i, j) * x(j); end do; end do
!DVM$ PARALLEL (i) ON y(i), PRIVATE(pivot), CUDA_BLOCK(64)
  do i = 1, n
    pivot = 0
    do j = 1, i; pivot = pivot + lu(i, j) * x(j); end do
    y(i) = pivot
  end do
!DVM$ PARALLEL (i) ON y(i), CUDA_BLOCK(64)
  do i = 1, n; do j = n, i, -1; y(i) = y(i) + lu(j, i) * x(j); end do; end do
!DVM$ PARALLEL (j, i) ON c(i, j)
  do j = 1, n; do i = 1, n
    if (i >= j) then; c(i, j) = c(i, j) * 2
    else; c(i, j) = c(j, i); end if; end do; end do
  print *, c(1, 1), lu(2, 2), y(1), x(1)
end program
