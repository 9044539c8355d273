import { answerTimeMutants } from './answer-time-mutants.ts'
import { auditMutants } from './audit-mutants.ts'
import { checksMutants } from './checks-mutants.ts'
import { decoderMutants } from './decoder-mutants.ts'
import { hostingMutants } from './hosting-mutants.ts'
import { identityMutants } from './identity-mutants.ts'
import { leftoversMutants } from './leftovers-mutants.ts'
import { localClockMutants } from './local-clock-mutants.ts'
import { metricsMutants } from './metrics-mutants.ts'
import { type Mutant, mutants } from './mutants.ts'
import { removalsMutants } from './removals-mutants.ts'
import { replicaMutants } from './replica-mutants.ts'
import { simulationMutants } from './simulation-mutants.ts'
import { snapshotMutants } from './snapshot-mutants.ts'
import { webMutants } from './web-mutants.ts'

/** Every deliberate mistake. */
export const allMutants: readonly Mutant[] = [
  ...mutants,
  ...answerTimeMutants,
  ...auditMutants,
  ...checksMutants,
  ...decoderMutants,
  ...hostingMutants,
  ...identityMutants,
  ...leftoversMutants,
  ...localClockMutants,
  ...metricsMutants,
  ...removalsMutants,
  ...replicaMutants,
  ...simulationMutants,
  ...snapshotMutants,
  ...webMutants,
]
