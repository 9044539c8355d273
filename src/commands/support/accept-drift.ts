import { isDeepStrictEqual } from 'node:util'
import { checks } from '../../checks/index.ts'
import type { Views } from '../../daemon/views.ts'
import { driftIdPattern } from '../../evaluate/findings/identity.ts'
import type { Mirror } from '../../mirror/port.ts'
import { UsageError } from '../../model/errors.ts'
import { driftIdIn, type FindingView } from '../../model/finding.ts'
import { type Io, print } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'
import { printableJson } from '../../model/text/printable-json.ts'
import { fittingTable } from '../../report/fitting-table.ts'
import { terminalOf } from '../../report/terminal.ts'

const drifting = checks.filter((check) => 'drift' in check).map(({ id }) => id)

/** Lists open drift on standard error, because standard output has the holds only. */
export async function listDrift(io: Io, mirror: Mirror, views: Views): Promise<void> {
  const rows: string[][] = []
  const tenants = new Map((await mirror.tenants()).map(({ name, id }) => [name, id]))
  for (const check of drifting) {
    for await (const finding of views.findings({ check })) {
      const driftId = driftIdIn(finding)
      if (driftId === null) continue
      const state = (await isAccepted(mirror, tenants.get(finding.tenant), finding)) ? 'accepted' : ''
      rows.push([driftId, finding.tenant, check, state, finding.message])
    }
  }
  if (rows.length === 0) return
  const terminal = terminalOf({ ...io, stdout: io.stderr })
  const heading = ['DRIFT ID', 'TENANT', 'CHECK', 'STATE', 'WHY']
  io.stderr.write(`${fittingTable(heading, rows, terminal, { optional: ['CHECK'] })}\n`)
}

/** Whether the state that the finding shows is accepted, which the next evaluation applies. */
async function isAccepted(
  mirror: Mirror,
  tenantId: number | undefined,
  { check, entity, evidence }: FindingView,
): Promise<boolean> {
  if (tenantId === undefined) return false
  const states = (await mirror.acceptedStates(tenantId, check)) ?? []
  const last = states.find(({ entityId }) => entityId === entity.id)
  return last !== undefined && last.reason !== null && isDeepStrictEqual(last.state, evidence['present'] ?? null)
}

interface AcceptDrift {
  readonly io: Io
  readonly mirror: Mirror
  readonly views: Views
  readonly given: string
  readonly reason: string
}

/**
 * Accepts the state that a drift id names, never a later one.
 *
 * @returns false when the id cannot be one, or no open finding has its fingerprint.
 * @throws UsageError when the finding shows another state, and on what cannot be accepted.
 */
export async function acceptDrift({ io, mirror, views, given, reason }: AcceptDrift): Promise<boolean> {
  const id = given.toLowerCase()
  const [, prefix, digest] = driftIdPattern.exec(id) ?? []
  if (prefix === undefined) return false
  const finding = await findOne(views, prefix)
  if (finding === null) return false
  const { check, entity, evidence, tenant } = finding
  const driftId = driftIdIn(finding) ?? refuseOther(finding)
  if (driftId !== id) throw new UsageError(anotherState(finding, driftId, digest))
  if (reason === '') throw new UsageError('Give a reason with --reason TEXT: it is kept for auditors')
  const row = (await mirror.tenants()).find(({ name }) => name === tenant)
  if (row === undefined) return false
  const state = evidence['present'] ?? null
  await mirror.acceptState(row.id, check, { entityId: entity.id, state, at: io.clock.now(), reason })
  const what = printable(`${check} of ${tenant} ${entity.id}: ${printableJson(state)}`)
  print(io, `Accepted: ${what}. The finding ends with the next evaluation.`)
  return true
}

async function findOne(views: Views, prefix: string): Promise<FindingView | null> {
  const found: FindingView[] = []
  for await (const finding of views.findings({ states: ['open', 'waived'] })) {
    if (finding.fingerprint.startsWith(prefix)) found.push(finding)
  }
  if (found.length > 1)
    throw new UsageError('Several findings match this prefix; give more characters of the fingerprint')
  return found[0] ?? null
}

function refuseOther({ check }: FindingView): never {
  const isDrift = drifting.some((id) => id === check)
  throw new UsageError(
    isDrift
      ? `The baseline of this finding is configured: change checks.${check}.baseline instead`
      : `Only findings of ${drifting.join(' and ')} can be accepted; waive this one in the configuration`,
  )
}

/** What an operator has to review before the present state can be accepted. */
function anotherState(
  { check, tenant, entity, evidence }: FindingView,
  driftId: string,
  digest: string | undefined,
): string {
  const { expected = null, present = null, expectedFrom } = evidence
  const changes = ['Gained', 'Lost'].flatMap((name) => {
    const codes = evidence[name.toLowerCase()]
    return Array.isArray(codes) && codes.length > 0 ? [[name, codes.join(', ')]] : []
  })
  const facts = [
    ['Finding', `${check} of ${tenant}, ${entity.type} ${entity.id}`],
    ['Expected', `${printableJson(expected)} (${expectedFrom})`],
    ['Present', printableJson(present)],
    ...changes,
  ]
  const why = digest
    ? 'The finding no longer shows the state of this id'
    : 'Drift is accepted by the id of its state, which begins with the fingerprint'
  return [
    `${why}; nothing is accepted`,
    ...facts.map(([name = '', value = '']) => `  ${name.padEnd(9)} ${printable(value)}`),
    `Review it; to accept the present state: tenantwatch accept ${driftId} --reason "..."`,
  ].join('\n')
}
