import type { Envelope } from '../server/envelope.ts'

export type FaultEffect =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly code?: string
      readonly message?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'body'
      readonly body: string | Uint8Array
      readonly status?: number
      readonly contentType?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** A sign-in page with status 200, as from a captive portal. */
  | { readonly kind: 'html' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'hang' }
  /** Resets the connection: before the endpoint runs, after it ran but before the answer, or in the middle of the body. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'unanswered' | 'mid' }
  /** Ends the body early: before its content-length, within a chunk, or with a body delimited by the end of the connection. */
  | {
      readonly kind: 'truncate'
      readonly framing: 'content-length' | 'chunked' | 'close'
      /** Bytes to send; default half of the body. */
      readonly bytes?: number
    }
  | { readonly kind: 'drip'; readonly chunkBytes: number; readonly everyMs: number }
  | { readonly kind: 'invalid-utf8' }
  /** Sends these bytes, including the status line, and closes the connection. */
  | { readonly kind: 'raw'; readonly bytes: string }
  /** A well-formed compressed body of `bytes` after decompression. */
  | { readonly kind: 'gzip-bomb'; readonly bytes: number }
  | { readonly kind: 'huge-body'; readonly bytes: number }
  /** Rewrites the envelope; only available in process. */
  | { readonly kind: 'transform'; readonly transform: (envelope: Envelope) => unknown }
  | { readonly kind: 'merge'; readonly patch: unknown }
  | { readonly kind: 'set'; readonly path: string; readonly value: unknown }
  /** No records and `hasMore` false; for API clients the specification allows this as "could not be completed". */
  | { readonly kind: 'empty' }
  /** The records of the previous answer to this token and endpoint, with the current pagination. */
  | { readonly kind: 'repeat-page' }
  /** `hasMore` true and the cursor of the request as the next one. */
  | { readonly kind: 'repeat-cursor' }
  | { readonly kind: 'ignore-cursor' }
  /** Replays the first answer since the fault was added, including `meta`, as a cache does. */
  | { readonly kind: 'cached'; readonly ageSeconds?: number }
  /** Answers with data of the other tenant, as a misconfigured load balancer does. */
  | { readonly kind: 'other-tenant' }
  | { readonly kind: 'patch-records'; readonly patch: Readonly<Record<string, unknown>> }
  /** Duplicates the first record with this merge patch, at the end or the start of the page. */
  | { readonly kind: 'duplicate'; readonly patch: Readonly<Record<string, unknown>>; readonly before?: boolean }
  | { readonly kind: 'drop'; readonly ids: readonly (string | number)[] }
  | { readonly kind: 'clock-skew'; readonly ms: number }

export type EffectKind = FaultEffect['kind']

export type EffectOf<K extends EffectKind> = Extract<FaultEffect, { readonly kind: K }>
