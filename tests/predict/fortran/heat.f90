! A stencil of 27 points in space, whose sizes and kinds a module has.
module sizes
  integer, parameter :: n = 19, m = n + 3
  integer, parameter :: real8 = selected_real_kind(15), dp = kind(1.0d0)
end module

program heat
  use sizes
  real(real8) :: f(-1:n, m, 2:n); real(dp) :: g(-1:n, m, 2:n), s
  integer :: i, j, k, di, dj, dk
  f = 1
!DVM$ PARALLEL (k, j, i) ON g(i, j, k), PRIVATE(s, di, dj, dk), CUDA_BLOCK(16, 4, 2)
  do k = 3, n - 1; do j = 2, m - 1; do i = 0, n - 1
    s = 0
    do dk = -1, 1; do dj = -1, 1; do di = -1, 1
      s = s + f(i + di, j + dj, k + dk)
    end do; end do; end do
    g(i, j, k) = s / 27
  end do; end do; end do
  print *, g(2, 2, 3)
end program
