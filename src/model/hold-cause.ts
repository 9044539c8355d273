import type { Emptiness } from './emptiness.ts'
import type { ResourceName } from './resource-names.ts'

/** Why the data may be those of another tenant (docs/internals/sync.md#8-tenant-identity). */
export type ChangeCause =
  /** No list that identifies the tenant may be read with this credential. */
  | { readonly check: 'denied'; readonly credential: string }
  /** The configured address differs from the one that the mirror was read from. */
  | { readonly check: 'origin'; readonly baseUrl: string }
  /** The list of API clients lacks this one. */
  | { readonly check: 'own-client'; readonly ownClientId: string }
  /** A page has mostly records that are unknown although they are old. */
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
