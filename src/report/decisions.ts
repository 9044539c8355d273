import type { OperatorDecision } from '../mirror/port.ts'
import { toIso } from '../model/dates.ts'
import type { ReportDecision } from './report.ts'

export function reportDecision(decision: OperatorDecision): ReportDecision {
  const { at, accepted, reason } = decision
  const facts = { at: toIso(at), accepted, reason }
  if (accepted === 'drift') {
    const { check, entityId, state } = decision
    return { ...facts, subject: check, id: entityId, what: JSON.stringify(state), appliedAt: facts.at }
  }
  const { resource, id, holdReason, count, appliedAt } = decision
  const applied = appliedAt === null ? null : toIso(appliedAt)
  return { ...facts, subject: resource, id, what: `${holdReason} (${count})`, appliedAt: applied }
}
