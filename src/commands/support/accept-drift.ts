import { isDeepStrictEqual } from 'node:util'
import { checks } from '../../checks/index.ts'
import type { Views } from '../../daemon/views.ts'
import { type AcceptedState, acceptStates, readAcceptedStates } from '../../evaluate/decisions.ts'
import { driftIdOf, driftIdPattern } from '../../evaluate/findings/identity.ts'
import { toIso } from '../../model/dates.ts'
import { UsageError } from '../../model/errors.ts'
import { driftIdIn, type FindingView, shortFingerprint } from '../../model/finding.ts'
import type { Io } from '../../model/process/io.ts'
import { reasonInWords } from '../../model/reason-words.ts'
import { printable } from '../../model/text/printable.ts'
import { printableJson } from '../../model/text/printable-json.ts'
import type { Next } from '../../report/findings-notes.ts'
import { bySeverity } from '../../report/findings-table.ts'
import { fittingTable } from '../../report/fitting-table.ts'
import { printWrapped, terminalOf } from '../../report/terminal.ts'
import type { Mirror } from '../../store/port.ts'
import { fingerprintsFrom } from './find-finding.ts'
import { wrapCommand } from './help-text.ts'
import { insistOnReason } from './options.ts'

const drifting = checks.filter((check) => 'drift' in check).map(({ id }) => id)

interface Drifts {
  readonly io: Io
  readonly mirror: Mirror
  readonly views: Views
  readonly next: Next
}

/** Most states for which a terminal shows a command each; for more it shows the form of the command once. */
const mostCommands = 3

export interface ListedDrift {
  readonly driftId: string
  readonly finding: FindingView
  readonly isAccepted: boolean
}

/** Open drift that can be accepted, the highest severity first. */
export async function openDrift({ mirror, views }: Pick<Drifts, 'mirror' | 'views'>): Promise<readonly ListedDrift[]> {
  const found: FindingView[] = []
  for (const check of drifting) found.push(...(await Array.fromAsync(views.findings({ check }))))
  const tenants = new Map((await mirror.tenants()).map(({ name, id }) => [name, id]))
  const drifts: ListedDrift[] = []
  for (const finding of bySeverity(found)) {
    const driftId = driftIdIn(finding)
    if (driftId === null) continue
    const acceptance = await acceptanceOf(mirror, tenants.get(finding.tenant), finding)
    drifts.push({ driftId, finding, isAccepted: acceptance !== null })
  }
  return drifts
}

/** Lists drift on standard error, because standard output has holds only. A terminal also shows commands. */
export function listDrift(io: Io, drifts: readonly ListedDrift[], next: Next): void {
  if (drifts.length === 0) return
  const terminal = terminalOf({ ...io, stdout: io.stderr })
  const open = drifts.flatMap(({ driftId, isAccepted }) => (isAccepted ? [] : [driftId]))
  const withState = (state: string) => (open.length === drifts.length ? [] : [state])
  const heading = ['DRIFT ID', 'SEVERITY', 'TENANT', 'CHECK', ...withState('STATE'), 'WHY']
  const rows = drifts.map(({ driftId, finding: { severity, tenant, check, message }, isAccepted }) => {
    return [driftId, severity.toUpperCase(), tenant, check, ...withState(isAccepted ? 'accepted' : ''), message]
  })
  io.stderr.write(`${fittingTable(heading, rows, terminal, { optional: ['CHECK'] })}\n`)
  if (terminal === null || open.length === 0) return
  const isMany = open.length > mostCommands
  const shown = isMany ? ['DRIFT_ID...'] : open
  const commands = shown.map((id) => wrapCommand(`  ${next(`accept ${id} --reason TEXT`)}`, terminal))
  io.stderr.write(`\nTo accept the state of ${isMany ? 'lines' : 'a line'}:\n${commands.join('\n')}\n`)
}

/** The acceptance of the state in the finding, which the next evaluation applies; null without one. */
async function acceptanceOf(
  mirror: Mirror,
  tenantId: number | undefined,
  finding: FindingView,
): Promise<AcceptedState | null> {
  const last = await lastAcceptance(mirror, tenantId, finding)
  return last !== null && isDeepStrictEqual(last.state, finding.evidence['present'] ?? null) ? last : null
}

/** The state of the entity that an operator accepted last; its current state may differ. */
async function lastAcceptance(
  mirror: Mirror,
  tenantId: number | undefined,
  { check, entity }: FindingView,
): Promise<AcceptedState | null> {
  if (tenantId === undefined) return null
  const last = (await readAcceptedStates(mirror, tenantId, check))?.byEntity.get(entity.id)
  return last === undefined || last.reason === null ? null : last
}

interface AcceptDrifts extends Drifts {
  readonly given: readonly string[]
  readonly reason: string
}

/**
 * Accepts exactly the states that the drift ids name: all of them, or none.
 *
 * @throws UsageError when an id names no open drift, or not the state in its finding, or drift that cannot be accepted.
 */
export async function acceptDrifts({ io, mirror, views, next, given, reason }: AcceptDrifts): Promise<void> {
  const drifts: Drift[] = []
  const ids = [...new Set(given.map((one) => one.toLowerCase()))]
  for (const [at, id] of ids.entries()) {
    try {
      drifts.push(await driftNamed({ mirror, views, next, id }))
    } catch (error) {
      if (!(error instanceof UsageError) || ids.length === 1) throw error
      throw new UsageError(`${driftIdPattern.test(id) ? id : `Id ${at + 1}`}: ${error.message}`)
    }
  }
  insistOnReason(reason)
  const at = io.clock.now()
  const accepted = drifts.map(({ tenantId, finding: { check, entity }, state }) => {
    return { tenantId, check, entityId: entity.id, state, at, reason }
  })
  await acceptStates(mirror, accepted)
  for (const { finding, state } of drifts) {
    const { check, tenant, entity } = finding
    const what = printable(`${check} of ${tenant} ${entity.id}: ${printableJson(state)}`)
    printWrapped(io, `Accepted: ${what}. The finding is resolved ${await endOf(views, finding)}.`)
  }
}

/** States when an accepted finding is resolved: not before its check can be evaluated over complete, fresh data. */
async function endOf(views: Views, { tenant, check }: FindingView): Promise<string> {
  const [posture] = await views.posture(tenant)
  const view = posture?.checks.find((one) => one.check === check)
  const reason = view?.reason ?? view?.partial ?? null
  if (reason === null) return 'with the next evaluation'
  const isHeld = posture?.holds.some((hold) => hold.reason === reason)
  return isHeld
    ? 'once the hold has ended'
    : `once its check can be evaluated, which is unknown now (${reasonInWords(reason)})`
}

interface Drift {
  readonly tenantId: number
  readonly finding: FindingView
  readonly state: unknown
}

interface Named extends Omit<Drifts, 'io'> {
  readonly id: string
}

async function driftNamed({ mirror, views, next, id }: Named): Promise<Drift> {
  const unknown = () => new UsageError(`No hold or drifted state has this id; "${next('accept')}" lists both`)
  const [, prefix, digest] = driftIdPattern.exec(id) ?? []
  if (prefix === undefined) throw unknown()
  const finding = await findOne({ mirror, views }, ['open', 'waived'], prefix)
  if (finding === null) {
    await refuseEnded({ mirror, views, id, prefix })
    throw unknown()
  }
  const driftId = driftIdIn(finding) ?? refuseOther(finding, next)
  if (driftId !== id) throw new UsageError(anotherState(finding, digest, next(`accept ${driftId} --reason TEXT`)))
  const row = (await mirror.tenants()).find(({ name }) => name === finding.tenant)
  if (row === undefined) throw unknown()
  const earlier = await acceptanceOf(mirror, row.id, finding)
  if (earlier !== null)
    throw new UsageError(
      acceptedSentence(`Drift ${id}`, earlier, `the finding is resolved ${await endOf(views, finding)}`),
    )
  return { tenantId: row.id, finding, state: finding.evidence['present'] ?? null }
}

interface Ended extends Pick<Drifts, 'mirror' | 'views'> {
  readonly id: string
  readonly prefix: string
}

/** @throws UsageError when an evaluation has already applied the acceptance of this state. */
async function refuseEnded({ mirror, views, id, prefix }: Ended): Promise<void> {
  const finding = await findOne({ mirror, views }, ['resolved'], prefix)
  if (finding === null) return
  const { fingerprint, tenant, evidence } = finding
  const row = (await mirror.tenants()).find(({ name }) => name === tenant)
  const last = await lastAcceptance(mirror, row?.id, finding)
  if (last === null || driftIdOf({ fingerprint, evidence: { ...evidence, present: last.state } }) !== id) return
  throw new UsageError(acceptedSentence(`Drift ${id}`, last, 'an evaluation has applied it'))
}

/** For a hold or a drifted state. @param next states what follows, or has followed. */
export function acceptedSentence(
  what: string,
  { at, reason }: { readonly at: number; readonly reason: string | null },
  next: string,
): string {
  return `${what} was accepted at ${toIso(at)} ("${printable(reason ?? '')}"); ${next}. Nothing is left to do`
}

async function findOne(
  { mirror, views }: Pick<Ended, 'mirror' | 'views'>,
  states: readonly FindingView['state'][],
  prefix: string,
): Promise<FindingView | null> {
  const fingerprints = await fingerprintsFrom(mirror, prefix)
  for await (const finding of views.findings({ states, fingerprints })) return finding
  return null
}

function refuseOther({ check, fingerprint, state, waiver }: FindingView, next: Next): never {
  if (drifting.some((id) => id === check))
    throw new UsageError(`The baseline of this finding is configured: change checks.${check}.baseline instead`)
  throw new UsageError(
    state === 'waived'
      ? `Only findings of ${drifting.join(' and ')} can be accepted; this one is waived already, by ${waiver?.id} until ${waiver?.expires}`
      : `Only findings of ${drifting.join(' and ')} can be accepted; waive this one: "${next(`waive ${shortFingerprint(fingerprint)}`)}"`,
  )
}

/** The facts that an operator must review before accepting the current state. */
function anotherState(
  { check, tenant, entity, evidence }: FindingView,
  digest: string | undefined,
  command: string,
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
    `Review it; to accept the present state: "${command}"`,
  ].join('\n')
}
