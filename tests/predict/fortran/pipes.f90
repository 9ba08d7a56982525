! Pipelines: one-sided, two-sided and wide dependences, steps other than 1, outer loops.
program pipes
  integer, parameter :: n = 40
  real :: a(0:n + 1), b(n, n), c(n, n); integer :: i, j, k
  a = 1; b = 1; c = 1
  ! across i
!DVM$ PARALLEL (i) ON a(i), ACROSS(a(1:1)), CUDA_BLOCK(16)
  do i = 1, n, 3; a(i) = a(i - 1) + a(i + 1); end do
  ! across i
!DVM$ PARALLEL (i) ON a(i), ACROSS(a(-1:1)), CUDA_BLOCK(16)
  do i = n, 1, -2; a(i) = a(i - 1) + a(i + 1); end do
  ! across j
!DVM$ PARALLEL (j, i) ON b(i, j), ACROSS(b(0:0, 2:0)), CUDA_BLOCK(8, 8)
  do j = 3, n, 2; do i = 1, n; b(i, j) = b(i, j - 2) + 1; end do; end do
  ! across i
!DVM$ PARALLEL (i, j) ON b(i, j), ACROSS(b(1:0, 0:0)), CUDA_BLOCK(8, 8)
  do i = 2, n; do j = 1, n; b(i, j) = b(i - 1, j) + 1; end do; end do
  ! across j
!DVM$ PARALLEL (j, i) ON b(i, j), ACROSS(c(0, 1), b(0:0, 0:0)), CUDA_BLOCK(8, 8)
  do j = 2, n; do i = 1, n; c(i, j) = b(i, j - 1) + c(i, j - 1); end do; end do
  do k = 2, 4
    ! across i
!DVM$ PARALLEL (i) ON a(i), ACROSS(a(1:1)), CUDA_BLOCK(16)
    do i = k, n, 3; a(i) = a(i - 1) + a(i + 1); end do; end do
  print *, a(1), b(1, 1), c(1, 1)
end program
