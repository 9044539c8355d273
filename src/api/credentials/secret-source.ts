import type { Secret } from './secret.ts'

/** Throws only a SyncError, without the secret. */
export interface SecretSource {
  /** True when a new text is still the same identity: a renewal by the same OAuth client. */
  readonly renewsIdentity: boolean
  /** The present secret; cheap enough to call before every request. */
  current(signal?: AbortSignal): Promise<Secret>
  /** The secret without a fetch; undefined when it would have to be fetched. */
  glance(): Promise<Secret | undefined>
  /** Fetches the secret again after the server refused `used`; an expensive source does so at most once a cycle. */
  renew(used: Secret, signal?: AbortSignal): Promise<Secret>
  /** Life of the last fetched secret in milliseconds; null before the first, absent when none is fetched. */
  goodForMs?(): number | null
  dispose(): void
}
