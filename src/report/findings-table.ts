import { namesIn } from '../model/entity-names.ts'
import { driftIdIn, type FindingView, shortFingerprint, shortLength } from '../model/finding.ts'
import { isGuid, shortGuid } from '../model/guid.ts'
import { type Severity, severities } from '../model/severity.ts'
import { plural } from '../model/text/numbers.ts'
import { printable } from '../model/text/printable.ts'
import { table, toMinute } from './formats.ts'
import { fittingLines, severityInColor, type Terminal } from './terminal.ts'

export const noOpenFindings = 'No open findings.'

/** The highest severity first, then by tenant and check; otherwise in the given order. */
export function bySeverity(found: readonly FindingView[]): readonly FindingView[] {
  const rank = ({ severity }: FindingView) => severities.indexOf(severity)
  return found.toSorted(
    (a, b) => rank(b) - rank(a) || a.tenant.localeCompare(b.tenant) || a.check.localeCompare(b.check),
  )
}

/** Keeps the order of `found`; see `bySeverity`. */
export function findingsText(found: readonly FindingView[], terminal: Terminal | null): string {
  if (found.length === 0) return noOpenFindings
  return terminal === null ? findingsTable(found) : findingsInColumns(found, terminal)
}

/** One line for each finding, without its evidence. */
function findingsTable(found: readonly FindingView[]): string {
  const isNamed = found.some(({ entity }) => namesIn(entity).length > 0)
  const hasState = found.some((finding) => stateOf(finding) !== '')
  const rows = found.map((finding) => [
    finding.severity.toUpperCase(),
    stateOf(finding),
    finding.tenant,
    finding.check,
    finding.entity.id,
    ...(isNamed ? [namesIn(finding.entity).join(', ')] : []),
    sentenceOf(finding),
    toMinute(finding.firstSeen),
    idOf(finding),
  ])
  const who = isNamed ? ['WHO OR WHAT'] : []
  const id = found.some((finding) => driftIdIn(finding) !== null) ? 'FINGERPRINT OR DRIFT ID' : 'FINGERPRINT'
  return table(
    ['SEVERITY', hasState ? 'STATE' : '', 'TENANT', 'CHECK', 'ENTITY', ...who, 'WHY', 'SINCE (UTC)', id],
    rows,
  )
}

const idWidth = shortLength

/** A narrower terminal shows no dates, to leave room for the sentences. */
const leastDated = 100

/** For a terminal: a heading for each check, below it the findings in lines that fit the width. */
function findingsInColumns(found: readonly FindingView[], terminal: Terminal): string {
  const hasTenants = new Set(found.map(({ tenant }) => tenant)).size > 1
  return found
    .flatMap((finding, i) => {
      const { severity, tenant, check } = finding
      const before = found[i - 1]
      const isNext = before?.severity !== severity || before.tenant !== tenant || before.check !== check
      const ids = driftIdIn(finding) === null ? '' : ', by drift id'
      const named = printable(`${check}${hasTenants ? ` (${tenant})` : ''}${ids}`)
      const heading = `${severityInColor(severity.toUpperCase().padEnd(8), severity, terminal)}  ${named}`
      return [...(isNext ? [heading] : []), linesOf(finding, terminal)]
    })
    .join('\n')
}

/** Most lines for a sentence, and for the reason why a waiver no longer covers the finding. */
const mostLines = 2

function linesOf(finding: FindingView, { columns }: Terminal): string {
  const { entity, firstSeen, message, waiver } = finding
  const state = stateOf(finding)
  const names = namesIn(entity)
  const known = names.length > 0 ? names : unnamedIn(finding)
  const who = known.length === 0 ? '' : `${known.join(', ')}: `
  const id = idOf(finding).padEnd(idWidth)
  const begin = columns < leastDated ? id : `${id}  since ${firstSeen.slice(0, 10)}`
  const width = columns - begin.length - 4
  const why = message.replace(` (${entity.id})`, '')
  const whole = printable(`${state === '' ? '' : `[${state}] `}${who}${why}`)
  const text = whole.length > width ? withShortId(whole, entity.id) : whole
  const texts = [text, ...(waiver?.explanation ? [printable(waiver.explanation)] : [])]
  return texts
    .flatMap((one) => fittingLines(one, width, mostLines))
    .map((line, i) => `  ${i === 0 ? begin : ' '.repeat(begin.length)}  ${line}`)
    .join('\n')
}

/** Shortens a GUID, which would take half of the line; `explain` shows it in full. */
function withShortId(text: string, id: string): string {
  return isGuid(id) ? text.replace(id, shortGuid(id)) : text
}

/** The entity if the sentence does not name it; empty for the authentication settings, of which there is only one. */
function unnamedIn({ message, entity: { type, id } }: FindingView): readonly string[] {
  return message.includes(id) || id === type ? [] : [id]
}

/** `133 open findings: 2 critical, 131 high`; for findings of several states without `open`. */
export function totals(found: readonly FindingView[]): string {
  const isOpen = found.every(({ state }) => state === 'open')
  const counts = severities
    .toReversed()
    .map((severity): readonly [number, Severity] => [found.filter((one) => one.severity === severity).length, severity])
    .filter(([count]) => count > 0)
  const others = (['waived', 'resolved'] as const).flatMap((state) => {
    const count = found.filter((one) => one.state === state).length
    return count === 0 ? [] : [`${count} ${state}`]
  })
  const states = others.length === 0 ? '' : `; of them ${others.join(', ')}`
  return `${plural(found.length, isOpen ? 'open finding' : 'finding')}: ${counts.map((of) => of.join(' ')).join(', ')}${states}`
}

/** The drift id, for `tenantwatch accept`, or the fingerprint, for `explain`. */
function idOf(finding: FindingView): string {
  return driftIdIn(finding) ?? shortFingerprint(finding.fingerprint)
}

function sentenceOf({ message, waiver }: FindingView): string {
  return waiver?.explanation ? `${message} (${waiver.explanation})` : message
}

function stateOf({ state, resolution, waiver }: FindingView): string {
  if (state === 'open') return waiver === null ? '' : `waiver ${waiver.state}`
  return resolution === null ? state : `${state} (${resolution})`
}
