! Blocks: the default of each depth, and a nest's own, with as many sizes as loops, fewer and more.
program blocks
  integer, parameter :: n = 40, bx = 16
  real :: a(0:n * n), b(n, 0:n), c(n, n, 0:20); integer :: i, j, k, l, m
  real(8) :: d(n, 5, 9, 4), e(8, 3, 5, 2, 3)
  a = 1; b = 1; c = 1
!DVM$ PARALLEL (i) ON a(i)
  do i = 0, n * n; a(i) = 2; end do
!DVM$ PARALLEL (j, i) ON b(i, j)
  do j = 0, n; do i = 1, n; b(i, j) = 2; end do; end do
!DVM$ PARALLEL (k, j, i) ON c(i, j, k)
  do k = 0, 20; do j = 1, n; do i = 1, n; c(i, j, k) = 2; end do; end do; end do
!DVM$ PARALLEL (i) ON a(i), CUDA_BLOCK(32, 2, 4)
  do i = 0, n; a(i) = 3; end do
!DVM$ PARALLEL (j, i) ON b(i, j), CUDA_BLOCK(64)
  do j = 0, n; do i = 1, n; b(i, j) = 3; end do; end do
!DVM$ PARALLEL (j, i) ON b(i, mod(j + (n - 1), n)), CUDA_BLOCK(16, 2, 4)
  do j = 0, n; do i = 1, n; b(i, j) = 4; end do; end do
!DVM$ PARALLEL (l, k, j, i) ON d(i, j, k, l)
  do l = 4, 1, -1; do k = 1, 9; do j = 2, 5; do i = 1, n - 1
    d(i, j, k, l) = d(i + 1, j - 1, k, l) * 2
  end do; end do; end do; end do
!DVM$ PARALLEL (m, l, k, j, i) ON e(i, j, k, l, m), CUDA_BLOCK(8, 2, 2)
  do m = 1, 3; do l = 1, 2; do k = 1, 5, 2; do j = 1, 3; do i = 1, 8
    e(i, j, k, l, m) = e(9 - i, 2, k, l, m)
  end do; end do; end do; end do; end do
  print *, d(1, 1, 1, 1), e(1, 1, 1, 1, 1), a(1), b(1, 1), c(1, 1, 1), bx
end program
