! Reductions of numbers, of logical values and of places; the pivot of a step.
program reduce
  integer, parameter :: n = 1500, m = 45
  real :: a(n), big, small; real(8) :: b(m, m), s, p
  integer :: i, j, k, num, imax, jmax, imin; integer(8) :: c(n), total
  logical :: f(n), all_, any_, even, odd
  a = 1; b = 1; c = 1; f = .true.; s = 0; p = 1; total = 0
!DVM$ PARALLEL (j, i) ON b(i, j), REDUCTION(SUM(s))
  do j = 1, m; do i = 1, m; s = s + b(i, j); end do; end do
!DVM$ PARALLEL (j, i) ON b(i, j), REDUCTION(PRODUCT(p))
  do j = 1, m; do i = 1, m; p = b(i, j) * p; end do; end do
!DVM$ PARALLEL (i) ON a(i), REDUCTION(MAX(big), MIN(small))
  do i = 1, n
    big = max(big, a(i))
    small = min(small, a(i))
  end do
!DVM$ PARALLEL (i) ON a(i), REDUCTION(MIN(small))
  do i = 1, n; small = min(a(i), small); end do
!DVM$ PARALLEL (i) ON c(i), REDUCTION(SUM(total), SUM(num))
  do i = 1, n
    total = total + c(i)
    if (c(i) > 0) num = num + 1
  end do
!DVM$ PARALLEL (i) ON f(i), REDUCTION(AND(all_))
  do i = 1, n; all_ = all_ .and. f(i); end do
!DVM$ PARALLEL (i) ON f(i), REDUCTION(OR(any_))
  do i = 1, n; any_ = any_ .or. f(i); end do
!DVM$ PARALLEL (i) ON f(i), REDUCTION(EQV(even), NEQV(odd))
  do i = 1, n
    even = even .eqv. f(i)
    odd = odd .neqv. f(i)
  end do
!DVM$ PARALLEL (j, i) ON b(i, j), REDUCTION(MAXLOC(p, imax, jmax))
  do j = 1, m; do i = 1, m
    if (b(i, j) > p) then; p = b(i, j)
      imax = i; jmax = j
  end if; end do; end do
!DVM$ PARALLEL (i) ON a(i), REDUCTION(MINLOC(small, imin))
  do i = 1, n
    if (a(i) < small) then; small = a(i); imin = i; endif
  end do
  do k = 1, 5
!DVM$ PARALLEL (i) ON b(i, k), REDUCTION(MAXLOC(p, imax))
    do i = k, m
      if (abs(b(i, k)) > p) then; p = abs(b(i, k)); imax = i; end if; end do; end do
  print *, s, p, big, small, total, num, all_, any_, even, odd, imax, jmax, imin
end program
