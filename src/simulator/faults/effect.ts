import type { Envelope } from '../server/envelope.ts'

/** What a fault does to a request or its answer. */
export type FaultEffect =
  /** An answer of this status instead of the endpoint's, which does not run. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly code?: string
      readonly message?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** This body instead of the endpoint's: not JSON, HTML, empty, whatever. */
  | {
      readonly kind: 'body'
      readonly body: string | Uint8Array
      readonly status?: number
      readonly contentType?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** A sign-in page with status 200, as a captive portal gives it. */
  | { readonly kind: 'html' }
  /** Waits before the request is worked on. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Never answers; the endpoint does not run. */
  | { readonly kind: 'hang' }
  /** Resets the connection: before the endpoint runs, after it ran but unanswered, or in the middle of the body. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'unanswered' | 'mid' }
  /** Ends the body early: against its content-length, in a chunk, or delimited by nothing but the end itself. */
  | {
      readonly kind: 'truncate'
      readonly framing: 'content-length' | 'chunked' | 'close'
      /** Bytes that are sent; default half of the body. */
      readonly bytes?: number
    }
  /** Sends the body in pieces of `chunkBytes`, `everyMs` apart. */
  | { readonly kind: 'drip'; readonly chunkBytes: number; readonly everyMs: number }
  /** Puts a byte into the body that UTF-8 does not have. */
  | { readonly kind: 'invalid-utf8' }
  /** Sends these bytes as they are, status line and all, and closes. */
  | { readonly kind: 'raw'; readonly bytes: string }
  /** A well-formed body that grows to `bytes` when it is decompressed. */
  | { readonly kind: 'gzip-bomb'; readonly bytes: number }
  /** A well-formed body of `bytes`. */
  | { readonly kind: 'huge-body'; readonly bytes: number }
  /** Rewrites the envelope. Only in process, functions do not travel. */
  | { readonly kind: 'transform'; readonly transform: (envelope: Envelope) => unknown }
  /** Lays a JSON merge patch (RFC 7396) over the envelope: null removes a member. */
  | { readonly kind: 'merge'; readonly patch: unknown }
  /** Sets the member at this path (`pagination.hasMore`), null included. */
  | { readonly kind: 'set'; readonly path: string; readonly value: unknown }
  /** No records and `hasMore` false; on API clients the specification allows this for "could not be completed". */
  | { readonly kind: 'empty' }
  /** The records of this token's previous answer on the endpoint, with the pagination of this one. */
  | { readonly kind: 'repeat-page' }
  /** `hasMore` true with the cursor that was sent. */
  | { readonly kind: 'repeat-cursor' }
  /** Acts as if no cursor had been sent. */
  | { readonly kind: 'ignore-cursor' }
  /** Replays the first answer since the fault was added, `meta` included, as a cache does. */
  | { readonly kind: 'cached'; readonly ageSeconds?: number }
  /** Answers from the other tenant, as a load balancer that mixes two does. */
  | { readonly kind: 'other-tenant' }
  /** Lays a JSON merge patch over each record: dates of the year 9999, fields of wrong types, fields nobody described. */
  | { readonly kind: 'patch-records'; readonly patch: Readonly<Record<string, unknown>> }
  /** Gives the first record once more with this merge patch over it: at the end of the page, or before all others. */
  | { readonly kind: 'duplicate'; readonly patch: Readonly<Record<string, unknown>>; readonly before?: boolean }
  /** Leaves the records with these ids out of lists. */
  | { readonly kind: 'drop'; readonly ids: readonly (string | number)[] }
  /** Shifts `meta.timestamp`. */
  | { readonly kind: 'clock-skew'; readonly ms: number }

export type EffectKind = FaultEffect['kind']

/** The effect of a kind. */
export type EffectOf<K extends EffectKind> = Extract<FaultEffect, { readonly kind: K }>
