import type { Reason } from './reasons.ts'
import type { ResourceName } from './resource-names.ts'
import { plural } from './text/words.ts'

/** Why the data may be those of another tenant (docs/internals/sync.md#8-tenant-identity). */
export type ChangeCause =
  /** The configured address differs from the one that the mirror was read from. */
  | { readonly check: 'origin'; readonly baseUrl: string }
  /** The list of API clients lacks this one. */
  | { readonly check: 'own-client'; readonly ownClientId: string }
  /** A page has mostly records that are unknown, or have another creation, although they are old. */
  | {
      readonly check: 'page'
      readonly resource: ResourceName
      readonly keys: readonly (string | number)[]
    }
  /** A list contains no known id, but these. */
  | { readonly check: 'proof'; readonly credential: string; readonly ids: readonly string[] }

/** Of a list that lacks records. */
interface ListCause {
  readonly check?: never
  readonly emptiness?: Emptiness
}

/** What the engine needs to retry a hold and to apply its acceptance. Stored as JSON and compared as text: keys keep their order. */
export type HoldCause = ChangeCause | ListCause

/** Why a list is `suspect_empty`; `announced-page`: a page that the page before announced is empty; `replaced`: no record is known. */
export type Emptiness = 'list' | 'replaced' | 'announced-page' | 'no-grants' | 'own-role'

export const ownClientRemedy =
  'Set ownClientId to the API client whose token is configured, or configure the token of the client in ownClientId'

interface Caused {
  readonly cause: HoldCause
}

/** The cause of a hold because the list of API clients lacks `ownClientId`. */
export const ownClientCause = (ownClientId: string) => ({ check: 'own-client', ownClientId }) as const

/** How to end a hold that cannot be accepted; null for other holds (docs/alerts.md#tenantwatchheld). */
export function remedyOf({ cause }: Caused): string | null {
  return cause.check === 'own-client' ? ownClientRemedy : null
}

/** True if `tenantwatch accept HOLD --list` names records of the hold. */
export function listsRecords(reason: Reason): boolean {
  return reason === 'shrink_held' || reason === 'suspect_empty'
}

/** How to end a `tenant_changed` hold. */
export function holdHint(hold: Caused): string {
  return remedyOf(hold) ?? changeHint(changeOf(hold.cause))
}

/** The same of a hold that a run may still have to raise. */
export function changeHint(change: Change): string {
  const review = 'Once a sync has raised the hold, "tenantwatch accept" shows what accepting it does'
  return `${changes[change].advice}. ${review}`
}

/** What to compare before accepting a hold, for the list of holds. */
export function holdAdvice(hold: Held): string {
  const { reason, cause } = hold
  if (reason === 'tenant_changed') return remedyOf(hold) ?? changes[changeOf(cause)].advice
  const isPowerless = 'emptiness' in cause && (cause.emptiness === 'no-grants' || cause.emptiness === 'own-role')
  const isReal = isPowerless ? 'permissions were not taken away' : 'records are still there'
  return `If the ${isReal} in the tenant, accept nothing: the hold ends when a full sync shows them again`
}

interface Held extends Caused {
  readonly tenant: string
  readonly resource: ResourceName | 'all'
  readonly reason: Reason
  readonly count: number
}

/** Effect of accepting a hold (docs/internals/sync.md#7-hold-and-accept), without a full stop. */
export function effectOf(hold: Held): string {
  const { tenant, resource, reason, count, cause } = hold
  if (reason === 'tenant_changed' && resource !== 'all' && changeOf(cause) === 'page')
    return `Accepting writes all records of ${resource} into the mirror of ${tenant} until that list was read in full; it removes nothing`
  if (reason === 'tenant_changed') return changes[changeOf(cause)].effect(tenant, count)
  if (resource === 'roles') return `Accepting takes the list of roles as it is now for the one of ${tenant}`
  if (count === 0) return 'Accepting completes the full sync; it removes nothing'
  const removes = `Accepting removes ${plural(count, 'record')} of ${resource} from the mirror of ${tenant}`
  return resource === 'users' ? `${removes}, each once the tenant answers 404 for its id` : removes
}

/** True if accepting the hold replaces the mirrored records with those of another tenant. */
export function replacesTenant({ reason, cause }: Pick<Held, 'reason' | 'cause'>): boolean {
  return reason === 'tenant_changed' && changeOf(cause) === 'proof'
}

type Change = Exclude<ChangeCause['check'], 'own-client'>

const ifWrong = 'If the token or baseUrl is wrong, configure the right one and accept nothing'

/** What to compare before accepting a `tenant_changed` hold, and what accepting it does, by its cause. */
const changes: Readonly<
  Record<Change, { readonly advice: string; readonly effect: (tenant: string, count: number) => string }>
> = {
  origin: {
    advice: `${ifWrong}: the hold ends by itself; if the tenant has moved, accept this hold`,
    effect: (tenant) =>
      `Accepting lets ${tenant} be read from the new address; its data must still prove to be those of ${tenant}`,
  },
  page: {
    advice: `${ifWrong}; if both are right, accept this hold, and the next run reads the page`,
    effect: (tenant, count) =>
      `Accepting writes the ${plural(count, 'record')} of this page into the mirror of ${tenant}; it removes nothing`,
  },
  proof: {
    advice: `${ifWrong}: the hold ends by itself`,
    effect: (tenant, count) =>
      `Accepting replaces the data of ${tenant} with those of ANOTHER tenant: the ${plural(count, 'record')} known so far may be removed, and their findings are resolved. It cannot be undone. ownClientId, where it is set, must then name an API client of the new tenant`,
  },
}

function changeOf({ check }: Caused['cause']): Change {
  return check === 'origin' || check === 'page' ? check : 'proof'
}
