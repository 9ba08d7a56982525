! Relaxation: red and black points by steps and by a condition, and pipelines along all loops.
program relax
  integer, parameter :: n = 50, l = 18
  real, parameter :: w = 1.2
  real :: a(0:n + 1, 0:n + 1), c(l, l, l); real(8) :: d(n, n)
  integer :: i, j, k, it, colour
  a = 1; d = 1; c = 1
  do it = 1, 2; do colour = 0, 1
!DVM$ PARALLEL (j, i) ON a(i, j)
    do j = 1, n; do i = 1, n
      if (mod(i + j + colour, 2) == 0) then
        a(i, j) = a(i, j) + w * (0.25 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + &
              a(i, j + 1)) - a(i, j))
  end if; end do; end do; end do; end do
  ! Of all columns the odd points, then the even ones.
!DVM$ PARALLEL (j, i) ON a(i, j), CUDA_BLOCK(16, 4)
  do j = 1, n; do i = 1, n, 2
    a(i, j) = (1 - w) * a(i, j) + w / 2 * (a(i - 1, j) + a(i + 1, j))
  end do; end do
!DVM$ PARALLEL (j, i) ON a(i, j), CUDA_BLOCK(16, 4)
  do j = n, 1, -1; do i = n, 2, -2
    a(i, j) = (1 - w) * a(i, j) + w / 2 * (a(i - 1, j) + a(i + 1, j))
  end do; end do
  ! across i j
!DVM$ PARALLEL (j, i) ON d(i, j), ACROSS (d(1:1, 1:1))
  do j = 2, n - 1; do i = 2, n - 1
    d(i, j) = (d(i - 1, j) + d(i + 1, j) + d(i, j - 1) + d(i, j + 1)) * 0.25d0
  end do; end do
  ! across i j k
!DVM$ PARALLEL (k, j, i) ON c(i, j, k), ACROSS (c(1:1, 1:1, 1:1)), CUDA_BLOCK(8, 4, 2)
  do k = 2, l - 1; do j = 2, l - 1; do i = 2, l - 1
    c(i, j, k) = (c(i - 1, j, k) + c(i, j - 1, k) + c(i, j, k - 1) + c(i + 1, j, k) + &
          c(i, j + 1, k) + c(i, j, k + 1)) / 6.
  end do; end do; end do
  print *, a(1, 1), d(2, 2), c(3, 3, 3)
end program
