! Blocks: the default of each depth, and a nest's own, with as many sizes as loops, fewer and more.
program blocks
  implicit none
  integer, parameter :: n = 40, bx = 16
  real :: a(0:n * n), b(n, 0:n), c(n, n, 0:20)
  integer :: i, j, k
  a = 1
  b = 1
  c = 1
!DVM$ PARALLEL (i) ON a(i)
  do i = 0, n * n
    a(i) = 2
  end do
!DVM$ PARALLEL (j, i) ON b(i, j)
  do j = 0, n
    do i = 1, n
      b(i, j) = 2
    end do
  end do
!DVM$ PARALLEL (k, j, i) ON c(i, j, k)
  do k = 0, 20
    do j = 1, n
      do i = 1, n
        c(i, j, k) = 2
      end do
    end do
  end do
!DVM$ PARALLEL (i) ON a(i), CUDA_BLOCK(32, 2, 4)
  do i = 0, n
    a(i) = 3
  end do
!DVM$ PARALLEL (j, i) ON b(i, j), CUDA_BLOCK(64)
  do j = 0, n
    do i = 1, n
      b(i, j) = 3
    end do
  end do
!DVM$ PARALLEL (j, i) ON b(i, mod(j + (n - 1), n)), CUDA_BLOCK(16, 2, 4)
  do j = 0, n
    do i = 1, n
      b(i, j) = 4
    end do
  end do
  print *, a(1), b(1, 1), c(1, 1, 1), bx
end program
