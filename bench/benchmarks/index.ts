import type { Benchmark } from '../support/result.ts'
import { answering } from './answering.ts'
import { changedSweep } from './changed-sweep.ts'
import { evaluation } from './evaluation.ts'
import { exportUsers } from './export.ts'
import { firstSweep } from './first-sweep.ts'
import { idle } from './idle.ts'
import { removalRound } from './removal-round.ts'
import { restart } from './restart.ts'
import { scalingRecords } from './scaling-records.ts'
import { scalingTenants } from './scaling-tenants.ts'
import { scrape } from './scrape.ts'
import { spread } from './spread.ts'
import { steadyPoll } from './steady-poll.ts'
import { unchangedSweep } from './unchanged-sweep.ts'

/** In the order in which they run. */
export const benchmarks: readonly Benchmark[] = [
  firstSweep,
  unchangedSweep,
  changedSweep,
  removalRound,
  steadyPoll,
  evaluation,
  scrape,
  restart,
  exportUsers,
  answering,
  idle,
  scalingRecords,
  scalingTenants,
  spread,
]
