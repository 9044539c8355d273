import type { Benchmark } from '../support/result.ts'
import { answering } from './answering.ts'
import { changedFullSync } from './changed-full-sync.ts'
import { evaluation } from './evaluation.ts'
import { exportUsers } from './export.ts'
import { firstFullSync } from './first-full-sync.ts'
import { fleet } from './fleet.ts'
import { idle } from './idle.ts'
import { page } from './page.ts'
import { postgres } from './postgres.ts'
import { removalRound } from './removal-round.ts'
import { replicas } from './replicas.ts'
import { restart } from './restart.ts'
import { scalingRecords } from './scaling-records.ts'
import { scalingTenants } from './scaling-tenants.ts'
import { scrape } from './scrape.ts'
import { spread } from './spread.ts'
import { steadyIncrementalSync } from './steady-incremental.ts'
import { unchangedFullSync } from './unchanged-full-sync.ts'

/** In the order in which they run. */
export const benchmarks: readonly Benchmark[] = [
  firstFullSync,
  unchangedFullSync,
  changedFullSync,
  removalRound,
  steadyIncrementalSync,
  evaluation,
  scrape,
  restart,
  exportUsers,
  answering,
  page,
  idle,
  scalingRecords,
  scalingTenants,
  fleet,
  spread,
  postgres,
  replicas,
]
