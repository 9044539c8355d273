import { nearest } from '../config/yaml/nearest.ts'
import { toIso } from '../model/dates.ts'
import { type FindingView, findingColumns } from '../model/finding.ts'
import {
  type CheckView,
  identitySentence,
  type OwnerView,
  type ResourceView,
  type TenantPosture,
} from '../model/posture.ts'
import { dataQualityOf, holdJson, resourceState, tally } from '../model/posture-state.ts'
import { severities } from '../model/severity.ts'
import { csvLine } from '../model/text/csv.ts'
import { jsonArray } from '../model/text/printable-json.ts'
import { type Answer, ofType, type Parsed, refuse, someOf, type WebRequest } from './answer.ts'
import { shownFindings } from './shown-findings.ts'
import type { FindingQuery, KnownNames, WebAccess, WebOptions, WebSources } from './web-options.ts'

/** The body of `/api/v1/status`: times are ISO 8601 in UTC, null for never; durations are seconds. */
export function statusJson(version: string, now: number, postures: readonly TenantPosture[]): object {
  return { version, at: toIso(now), tenants: postures.map(tenantJson) }
}

function tenantJson(posture: TenantPosture): object {
  const { checks, open, openTotal, waivedTotal } = tally(posture)
  return {
    tenant: posture.tenant,
    at: toIso(posture.at),
    quality: dataQualityOf(posture).level,
    identity: posture.identity,
    identityMessage: identitySentence(posture),
    clockSkewSeconds: posture.clockSkewMs === null ? null : posture.clockSkewMs / 1000,
    blockedUntil: posture.blockedUntil > posture.at ? toIso(posture.blockedUntil) : null,
    holds: posture.holds.map(holdJson),
    resources: posture.resources.map((view) => resourceJson(view, posture)),
    checks,
    findings: { open, openTotal, waivedTotal },
    ...(posture.owner && { owner: ownerJson(posture.owner) }),
  }
}

function ownerJson({ replica, isAlive, since, heartbeatAgeMs }: OwnerView): object {
  const heartbeatAgeSeconds = heartbeatAgeMs === null ? null : heartbeatAgeMs / 1000
  return { replica, alive: isAlive, since: isoOrNull(since), heartbeatAgeSeconds }
}

function resourceJson(view: ResourceView, posture: TenantPosture): object {
  const { resource, enabled, live, quarantined, missing, fresh, message } = view
  return {
    resource,
    enabled,
    state: enabled ? resourceState(view, posture.holds) : 'off',
    live,
    quarantined,
    missing,
    dataAsOf: isoOrNull(view.dataAsOf),
    fresh,
    freshnessLimitSeconds: view.freshnessLimitMs / 1000,
    message,
    modes: view.modes.map(({ mode, up, reason, ...times }) => ({
      mode,
      up,
      reason,
      lastAttemptAt: isoOrNull(times.lastAttemptAt),
      lastSuccessAt: isoOrNull(times.lastSuccessAt),
      freshnessLimitSeconds: times.freshnessLimitMs / 1000,
    })),
  }
}

/** The body of `/api/v1/checks`: every check of every tenant with its current status. */
export function checksJson(postures: readonly TenantPosture[]): readonly object[] {
  return postures.flatMap(({ tenant, checks }) =>
    checks.map(({ evaluatedAt, since, ...check }) => ({
      tenant,
      ...check,
      ...(isPartlyKnown(check) && { notEvaluated: null, unevaluated: undefined }),
      evaluatedAt: isoOrNull(evaluatedAt),
      since: isoOrNull(since),
    })),
  )
}

/** True while data is missing, so that more entities than the last evaluation lists may be unevaluated. */
function isPartlyKnown({ status, reason, partial }: Pick<CheckView, 'status' | 'reason' | 'partial'>): boolean {
  return partial !== undefined || (status === 'unknown' && reason !== 'ambiguous')
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms)
}

const states = ['open', 'waived', 'resolved'] as const satisfies readonly FindingView['state'][]
export const filterParameters = ['tenant', 'check', 'severity', 'state', 'q'] as const
export const findingParameters = [...filterParameters, 'limit', 'cursor'] as const
/** Greatest `limit`. */
export const maxLimit = 1000

export interface FindingPage extends FindingQuery {
  /** Absent = all findings, as a stream. */
  readonly limit?: number
}

/** `severity` and `state` accept several values. An unknown value is refused: it would look like "nothing found". */
function parseFindingQuery(parameters: Readonly<Record<string, string>>): Parsed<FindingPage> {
  const {
    tenant,
    check,
    severity,
    state = 'open',
    q,
    cursor,
    limit = cursor === undefined ? undefined : String(maxLimit),
  } = parameters
  const wantedSeverities = severity === undefined ? severities : someOf(severities, severity)
  if (wantedSeverities === undefined)
    return { ok: false, message: `Unknown severity ${severity}: use ${severities.join(', ')}` }
  const wanted = state === 'all' ? states : someOf(states, state)
  if (wanted === undefined) return { ok: false, message: `Unknown state ${state}: use ${states.join(', ')} or all` }
  if (limit !== undefined && !(/^[1-9]\d{0,3}$/.test(limit) && Number(limit) <= maxLimit))
    return { ok: false, message: `The limit must be a whole number from 1 to ${maxLimit}` }
  return {
    ok: true,
    query: {
      ...(limit !== undefined && { limit: Number(limit) }),
      ...(cursor !== undefined && { after: cursor }),
      ...(tenant === undefined ? {} : { tenant }),
      ...(check === undefined ? {} : { check }),
      ...(severity === undefined ? {} : { severities: wantedSeverities }),
      ...(q === undefined ? {} : { text: q }),
      states: wanted,
    },
  }
}

const contentTypes = { json: 'application/json; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const

/**
 * Answers `/api/v1/findings` (docs/operations.md#findings-for-other-systems) with a JSON array, read from the mirror
 * while it is sent; with `limit`, with a part whose `Link` header names the next one.
 */
export async function streamFindings(
  request: WebRequest,
  { sources }: WebOptions,
  { exposeDetails }: WebAccess,
  format: keyof typeof contentTypes = 'json',
): Promise<Answer> {
  const parsed = parseFindingQuery(request.query)
  if (!parsed.ok) return refuse(request, 400, parsed.message)
  const unknown = unknownName(parsed.query, sources.names())
  if (unknown !== null) return refuse(request, unknown.status, unknown.message)
  const headers = format === 'csv' ? { 'Content-Disposition': 'attachment; filename="findings.csv"' } : {}
  if (request.method === 'HEAD') return ofType(contentTypes[format], [], headers)
  const { limit, ...query } = parsed.query
  if (limit !== undefined) return findingPage(request, { ...query, limit }, sources, exposeDetails)
  const batches = shownFindings(sources.findings, query, exposeDetails)
  const chunks = format === 'json' ? jsonArray(batches) : csvChunks(batches, exposeDetails)
  // Read the first chunk before the status line is sent, so that an unreadable database gives a 503.
  const first = await chunks.next()
  return ofType(contentTypes[format], from(first.value ?? '', chunks), headers)
}

async function findingPage(
  request: WebRequest,
  { limit, ...query }: FindingPage & { readonly limit: number },
  sources: WebSources,
  exposeDetails: boolean,
): Promise<Answer> {
  const { after } = query
  if (after !== undefined) {
    const known = sources.findings({ fingerprints: [after], states })
    if ((await known[Symbol.asyncIterator]().next()).done === true)
      return refuse(
        request,
        400,
        'No finding has this cursor: take it from the Link header of the previous part, or start again',
      )
  }
  const found: FindingView[] = []
  for await (const batch of shownFindings(sources.findings, query, exposeDetails)) {
    found.push(...batch.slice(0, limit + 1 - found.length))
    if (found.length > limit) break
  }
  const shown = found.slice(0, limit)
  const next = new URLSearchParams({ ...request.query, cursor: shown.at(-1)?.fingerprint ?? '' })
  const headers = found.length > limit ? { Link: `<${request.path}?${next}>; rel="next"` } : {}
  return ofType(contentTypes.json, JSON.stringify(shown), headers)
}

async function* from(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

async function* csvChunks(
  batches: AsyncIterable<readonly FindingView[]>,
  exposeDetails: boolean,
): AsyncGenerator<string> {
  const columns = findingColumns(exposeDetails)
  const cells = Object.values(columns)
  yield csvLine(Object.keys(columns))
  for await (const batch of batches) yield batch.map((finding) => csvLine(cells.map((cell) => cell(finding)))).join('')
}

/** Most names listed in a message; there may be a thousand tenants. */
const maxNames = 40

interface NamesInQuery {
  readonly tenant?: string | null | undefined
  readonly check?: string | null | undefined
}

/** Null if both exist; an unknown name would look like "nothing found". */
export function unknownName(
  { tenant, check }: NamesInQuery,
  known: KnownNames,
): { readonly status: 400 | 404; readonly message: string } | null {
  if (tenant != null && !known.tenants.includes(tenant))
    return { status: 404, message: sentence('tenant', tenant, known.tenants) }
  if (check != null && !known.checks.includes(check))
    return { status: 400, message: sentence('check', check, known.checks) }
  return null
}

function sentence(what: string, given: string, names: readonly string[]): string {
  const meant = nearest(given.slice(0, 200), names)
  if (meant !== undefined) return `Unknown ${what} "${given}"; did you mean ${meant}?`
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
  return `Unknown ${what}: expected one of ${names.slice(0, maxNames).join(', ')}${more}`
}
