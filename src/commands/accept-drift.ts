import { isDeepStrictEqual } from 'node:util'
import { checks } from '../checks/index.ts'
import type { Views } from '../daemon/views.ts'
import { acceptStates, readAcceptedStates } from '../evaluate/decisions.ts'
import { describeFinding } from '../model/describe.ts'
import { UsageError } from '../model/errors.ts'
import { driftIdIn, type FindingView } from '../model/finding.ts'
import type { Io } from '../model/process/io.ts'
import { severities } from '../model/severity.ts'
import { printable, printableJson } from '../model/text/printable.ts'
import { printWrapped } from '../report/terminal.ts'
import type { Mirror } from '../store/port.ts'
import type { OpenMirror } from './support/configuration.ts'
import { readBy, readReason } from './support/options.ts'

const drifting = checks.filter((check) => 'drift' in check).map(({ id }) => id)

export interface Drift {
  readonly driftId: string
  readonly tenantId: number
  readonly finding: FindingView
  /** An operator accepted this state; the next evaluation applies that. */
  readonly accepted: boolean
  readonly text: string
  readonly next: string | null
}

/** Drift that can be accepted, the highest severity first. */
export async function openDrift(
  mirror: Mirror,
  views: Views,
  states: readonly FindingView['state'][] = ['open'],
): Promise<readonly Drift[]> {
  const tenants = new Map((await mirror.tenants()).map(({ name, id }) => [name, id]))
  const drifts: Drift[] = []
  for (const check of drifting) {
    for await (const finding of views.findings({ check, states })) {
      const driftId = driftIdIn(finding)
      const tenantId = tenants.get(finding.tenant)
      if (driftId === null || tenantId === undefined) continue
      const last = (await readAcceptedStates(mirror, tenantId, check))?.byEntity.get(finding.entity.id)
      const accepted = last?.reason != null && isDeepStrictEqual(last.state, presentIn(finding))
      const { text, next } = describeFinding(finding)
      drifts.push({
        driftId,
        tenantId,
        finding,
        accepted,
        text,
        next: accepted ? 'The next evaluation applies that' : next,
      })
    }
  }
  const rank = ({ finding }: Drift) => severities.indexOf(finding.severity)
  return drifts.toSorted((a, b) => rank(b) - rank(a))
}

function presentIn({ evidence }: FindingView): unknown {
  return evidence['present'] ?? null
}

/**
 * Accepts exactly the states that the drift ids name: all of them, or none.
 *
 * @throws UsageError when an id names no drift that can be accepted, or not the present state.
 */
export async function acceptDrifts(
  io: Io,
  { mirror, views }: OpenMirror,
  ids: readonly string[],
  options: { readonly reason?: string; readonly by?: string },
): Promise<void> {
  const known = await openDrift(mirror, views, ['open', 'waived'])
  const chosen: Drift[] = []
  for (const id of new Set(ids.map((one) => one.toLowerCase()))) {
    const drift = known.find(({ driftId }) => driftId === id)
    if (drift === undefined) throw new UsageError(refusalOf(id, known))
    if (drift.accepted) throw new UsageError(`Drift ${id} is accepted already; the next evaluation applies that`)
    chosen.push(drift)
  }
  const reason = readReason(options.reason)
  const by = readBy(options.by)
  const at = io.clock.now()
  await acceptStates(
    mirror,
    chosen.map(({ tenantId, finding }) => {
      const { check, entity } = finding
      return { tenantId, check, entityId: entity.id, state: presentIn(finding), at, reason, by }
    }),
  )
  for (const { finding } of chosen) {
    const { check, tenant, entity } = finding
    const what = printable(`${check} of ${tenant} ${entity.id}: ${printableJson(presentIn(finding))}`)
    printWrapped(
      io,
      `Accepted: ${what}. The finding is resolved once its check is evaluated over complete, fresh data.`,
    )
  }
}

/** Why an id cannot be accepted. Does not repeat an id that is none, because it may be a secret. */
function refusalOf(id: string, known: readonly Drift[]): string {
  const [prefix = ''] = id.split('-')
  const same = /^[\da-f]{6,}$/.test(prefix) && known.find(({ finding }) => finding.fingerprint.startsWith(prefix))
  if (same)
    return `Drift is accepted by the id of its present state, which is ${same.driftId}; nothing is accepted. Review it: "tenantwatch explain ${prefix}"`
  return 'No hold or drifted state has this id; "tenantwatch accept" lists both. Other findings are waived, and a configured baseline is changed in the configuration'
}
