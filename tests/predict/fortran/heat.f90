! Stencils in space: heat, 7 and 27 points.
module sizes
  integer, parameter :: n = 19, m = n + 3
  integer, parameter :: real8 = selected_real_kind(15)
end module

program heat
  use sizes
  implicit none
  real(real8) :: u(n, m, n), v(n, m, n)
  real(4) :: f(-1:n, m, 2:n), g(-1:n, m, 2:n)
  integer :: step
  u = 1
  f = 1
  call seven(u, v, 0.1d0)
  do step = 1, 10
    call seven(v, u, 0.1d0)
  end do
  call many(f, g)
  print *, u(2, 2, 2), g(2, 2, 3)
end program

subroutine seven(old, new, c)
  use sizes
  implicit none
  real(real8) :: old(n, m, n), new(n, m, n), c
  integer :: i, j, k
!DVM$ PARALLEL (k, j, i) ON new(i, j, k)
  do k = 2, n - 1
    do j = 2, m - 1
      do i = 2, n - 1
        new(i, j, k) = old(i, j, k) + c * (old(i + 1, j, k) + old(i - 1, j, k) + &
          old(i, j + 1, k) + old(i, j - 1, k) + old(i, j, k + 1) + old(i, j, k - 1) - &
          6 * old(i, j, k))
      end do
    end do
  end do
end subroutine

subroutine many(f, g)
  use sizes
  implicit none
  real(4) :: f(-1:n, m, 2:n), g(-1:n, m, 2:n), s
  integer :: i, j, k, di, dj, dk
!DVM$ PARALLEL (k, j, i) ON g(i, j, k), PRIVATE(s, di, dj, dk), CUDA_BLOCK(16, 4, 2)
  do k = 3, n - 1
    do j = 2, m - 1
      do i = 0, n - 1
        s = 0
        do dk = -1, 1
          do dj = -1, 1
            do di = -1, 1
              s = s + f(i + di, j + dj, k + dk)
            end do
          end do
        end do
        g(i, j, k) = s / 27
      end do
    end do
  end do
end subroutine
