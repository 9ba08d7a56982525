! Reductions of logical values, and of places; the pivot of a step.
program locate
  implicit none
  integer, parameter :: n = 1500, m = 45
  real :: a(n), small
  real(8) :: b(m, m), p
  integer :: i, j, k, imax, jmax, imin
  logical :: f(n), all_, any_, even, odd
  a = 1
  b = 1
  f = .true.
!DVM$ PARALLEL (i) ON f(i), REDUCTION(AND(all_))
  do i = 1, n
    all_ = all_ .and. f(i)
  end do
!DVM$ PARALLEL (i) ON f(i), REDUCTION(OR(any_))
  do i = 1, n
    any_ = any_ .or. f(i)
  end do
!DVM$ PARALLEL (i) ON f(i), REDUCTION(EQV(even), NEQV(odd))
  do i = 1, n
    even = even .eqv. f(i)
    odd = odd .neqv. f(i)
  end do
!DVM$ PARALLEL (j, i) ON b(i, j), REDUCTION(MAXLOC(p, imax, jmax))
  do j = 1, m
    do i = 1, m
      if (b(i, j) > p) then
        p = b(i, j)
        imax = i
        jmax = j
      end if
    end do
  end do
!DVM$ PARALLEL (i) ON a(i), REDUCTION(MINLOC(small, imin))
  do i = 1, n
    if (a(i) < small) then
      small = a(i)
      imin = i
    endif
  end do
  do k = 1, 5
!DVM$ PARALLEL (i) ON b(i, k), REDUCTION(MAXLOC(p, imax))
    do i = k, m
      if (abs(b(i, k)) > p) then
        p = abs(b(i, k))
        imax = i
      end if
    end do
  end do
  print *, all_, any_, even, odd, imax, jmax, imin, p, small
end program
