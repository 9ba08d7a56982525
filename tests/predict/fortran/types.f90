! Types, lower bounds, steps, and what an iteration may compute.
program types
  use iso_fortran_env, only: real64, int16
  integer, parameter :: n = 210
  integer(1) :: i1(n); integer(int16) :: i2(-3:n); integer(4) :: i4(n, 3)
  integer*8 :: i8(0:2 * n); real(real64) :: r8(3, n); real*4 :: r4(5, 4, n), t
  double precision :: d; logical :: l(n); integer :: i, j, k
  i1 = 1; i2 = 1; i8 = 1; r8 = 1; l = .true.
!DVM$ PARALLEL (i) ON i1(i)
  do i = 1, n; i1(i) = i1(n - i + 1) + 1_1; end do
!DVM$ PARALLEL (i) ON i2(i)
  do i = -3, n; i2(i) = int(i1(5)) + mod(i, 7); end do
!DVM$ PARALLEL (i) ON i8(i)
  do i = n, 1, -3; i8(2 * i) = i8(2 * i - 1) + i2(i) * 2; end do
!DVM$ PARALLEL (j, i) ON i4(i, j)
  do j = 1, 3; do i = 1, n; i4(i, j) = nint(r8(j, i)) ** 3; end do; end do
!DVM$ PARALLEL (i) ON r8(1, i), PRIVATE(t, d, j)
  do i = 1, n
    t = real(i)
    d = sqrt(dble(t)) + exp(-t)
    do j = 1, 3; r8(j, i) = d ** 1.5 + sin(r8(j, i)) / (abs(t) + 1.0); end do; end do
!DVM$ PARALLEL (k, j) ON r4(1, j, k), PRIVATE(i), CUDA_BLOCK(4, 32)
  do k = 1, n; do j = 1, 4; do i = 5, 1, -2
    r4(i, j, k) = r4(i, j, k) + r8(2, k)
  end do; end do; end do
!DVM$ PARALLEL (i) ON l(i)
  do i = 1, n - 1; l(i) = .not. l(i + 1) .and. i4(i, 2) /= 3 .or. r8(1, i) >= 2.0; end do
!DVM$ PARALLEL (i) ON r8(3, i)
  do i = 2, n - 1
    if (l(i)) then; r8(3, i) = r8(2, i)
    else if (i4(i, 1) > 2) then; r8(3, i) = r8(1, i + 1)
    else; r8(3, i) = 0; end if
    if (i < n / 2 .and. i > 7) then; r8(1, i) = 1
    else if (mod(i, 3) == 1) then; r8(2, i) = r8(2, i - 1)
    else; if (max(i, 100) == i) r8(2, i) = 2; end if
    if (i > 0 .and. r8(3, i) < 0) r8(3, i) = -r8(3, i)
  end do
  print *, i1(1), i2(1), i4(1, 1), i8(1), r8(1, 1), r4(1, 1, 1), l(1)
end program
