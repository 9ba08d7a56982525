! ADI: a tridiagonal system along each direction, there and back.
program adi
  implicit none
  integer, parameter :: dp = kind(1.0d0), nx = 20, ny = 18, nz = 9, itmax = 2
  real(dp) :: a(nx, ny, nz), eps
  integer :: i, j, k, it
  a = 1
  do it = 1, itmax
    eps = 0
!DVM$ ACTUAL(eps)
!DVM$ REGION
    ! across i
!DVM$ PARALLEL (k, j, i) ON a(i, j, k), ACROSS (a(1:1, 0:0, 0:0))
    do k = 2, nz - 1
      do j = 2, ny - 1
        do i = 2, nx - 1
          a(i, j, k) = (a(i - 1, j, k) + a(i + 1, j, k)) / 2
        end do
      end do
    end do
    ! across k
!DVM$ PARALLEL (k, j, i) ON a(i, j, k), REDUCTION(MAX(eps)), ACROSS (a(0:0, 0:0, 1:1))
    do k = nz - 1, 2, -1
      do j = 2, ny - 1
        do i = 2, nx - 1
          eps = max(eps, abs(a(i, j, k) - (a(i, j, k - 1) + a(i, j, k + 1)) / 2))
          a(i, j, k) = (a(i, j, k - 1) + a(i, j, k + 1)) / 2
        end do
      end do
    end do
!DVM$ END REGION
!DVM$ GET_ACTUAL(eps)
    if (eps < -1.0d-10) goto 3
  end do
3 print *, eps
end program
