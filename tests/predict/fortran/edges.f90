! Lower bounds below 1, loops that never turn, remainders of negative numbers.
program edges
  integer, parameter :: n = 33, m = 20, low = -5
  real :: a(0:n), b(0:n), c(0:n, -2:m), d(0:n, -2:m), q(low:low + 40)
  integer :: i, j, it; logical :: flag
  a = 1; b = 1; c = 1; d = 1; q = 1; flag = .true.
!DVM$ PARALLEL (j, i) ON c(i, j)
  do j = -1, m - 1; do i = 1, n - 1
    c(i, j) = d(i - 1, j) + d(i + 1, j) + d(i, j - 1) + d(i, j + 1)
  end do; end do
!DVM$ PARALLEL (i) ON q(i)
  do i = low, low + 40
    if (mod(i, 2) == 1) q(i) = 2
    if (mod(i, 3) == -1) q(i) = q(low)
    if (modulo(i, 3) == 1) q(i) = q(low + 1)
    if (i / 2 == 0) q(i) = 3
  end do
!DVM$ PARALLEL (i) ON q(i)
  do i = low, low + 40
    if (.not. i == 3) q(i) = q(3)
    if (.not. (i < 3 .or. i > 9) .and. -i * 2 < -9) q(i) = q(low)
  end do
!DVM$ PARALLEL (i) ON a(i)
  do i = 0, n
    if (i < 9) then; a(i) = 1
    else if (flag) then; a(i) = b(i)
    else if (b(i) > 0) then; a(i) = b(n - i)
    else if (i > 20) then; a(i) = 3
    else; a(i) = c(i, 1); end if; end do
!DVM$ PARALLEL (i) ON a(i)
  do i = 5, 4; a(i) = 1; end do
!DVM$ PARALLEL (j, i) ON c(i, j)
  do j = m, low; do i = n, 1 - low * 100, -1; c(i, j) = 1; end do; end do
!DVM$ PARALLEL (i) ON a(i)
  do i = n, 0, -1; do j = 3, 2; a(i) = b(j); end do
    a(i) = a(i) + 1
  end do
!DVM$ PARALLEL (i) ON a(i)
  do i = n, 1, -4; a(i - 1) = a(i) + 1; end do
  do it = 5, 2
!DVM$ PARALLEL (i) ON a(i)
    do i = 1, n; a(i) = b(it); end do; end do
  do it = 1, 8
!DVM$ PARALLEL (i) ON a(i)
    do i = 1, n, 3; a(i) = b(it); end do
!DVM$ PARALLEL (i) ON a(i)
    do i = it, 2 * it, 3; a(i) = b(it); end do; end do
  print *, a(1), b(1), c(1, 1), d(1, 1), q(1)
end program
