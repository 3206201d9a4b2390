! SPDX-License-Identifier: GPL-2.0
! Reductions as a program in Fortran has them.
program fortran
  use mpi
  implicit none
  integer, parameter :: large = 50001
  integer :: rank, err, i, level
  integer :: vector(large), total(large)
  real :: reals(large)

  call MPI_Init(err)
  call MPI_Query_thread(level, err)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, err)
  vector = [(i * 7 + rank * 31, i = 1, large)]
  call MPI_Allreduce(vector, total, large, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, err)
  call MPI_Allreduce(MPI_IN_PLACE, vector, large, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, err)
  if (any(total /= vector)) call MPI_Abort(MPI_COMM_WORLD, 1, err)
  call MPI_Reduce(vector, total, large, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD, err)
  reals = real(rank)
  call MPI_Allreduce(MPI_IN_PLACE, reals, large, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, err)
  print '(a, i0, 5(1x, i0), 1x, f0.1)', 'rank ', rank, level, vector(1), vector(large), total(1), &
    total(large), reals(large)
  call MPI_Finalize(err)
end program fortran
