! Procedures whose arguments have other shapes, or stand by name; conditions of parameters.
program calls
  integer, parameter :: n = 30, level = 2
  real :: a(n, n), b(n), c(2 * n, 3); integer :: k
  a = 1; b = 2; c = 3
  5 continue
  do k = 1, 3
    call add(a, n, n)
    call add(c, 2 * n, 3)
  end do
  call add(a, n2=n, n1=n / 2)
  do k = 2, n, 2
    call column(a, k)
  end do
  call flat(a, n * n)
  call flat(b, n)
  call flat(b, n)
  if (b(1) < 0) goto 5
  if (level > 2) then
    call flat(c, 6 * n)
  else if (level == 2 .and. .not. n < 9) then
    call flat(c, 3 * n)
  else
    call flat(c, n)
  end if
  print *, a(1, 1), b(1), c(1, 1)
contains
  subroutine add(x, n1, n2)
    integer :: n1, n2, i, j; real :: x(n1, n2)
!DVM$ PARALLEL (j, i) ON x(i, j)
    do j = 1, n2; do i = 1, n1; x(i, j) = x(i, j) + 1; end do; end do
  end subroutine
end program

subroutine column(x, k)
  integer, intent(in) :: k; integer :: i; real :: x(30, 30)
!DVM$ PARALLEL (i) ON x(i, 1)
  do i = 1, k; x(i, k) = x(i, 1); end do
end subroutine

subroutine flat(x, n)
  integer, intent(in) :: n; real, intent(inout) :: x(n)
!DVM$ PARALLEL (i) ON x(i)
  do i = 1, n; x(i) = x(i) + 1; end do
end subroutine
