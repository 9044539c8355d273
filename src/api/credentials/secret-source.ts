import type { Secret } from './secret.ts'

/** Where a secret comes from. Everything it throws is a SyncError that does not carry the secret. */
export interface SecretSource {
  /** True when a new text is still the same identity: a renewal by the same OAuth client. */
  readonly renewsIdentity: boolean
  /** The secret as it is now; cheap enough to ask before every request. */
  current(signal?: AbortSignal): Promise<Secret>
  /** The secret as far as it can be told for nothing; undefined when it would have to be fetched. */
  glance(): Promise<Secret | undefined>
  /** The secret fetched again because the server refused `used`; an expensive source does so at most once a cycle. */
  renew(used: Secret, signal?: AbortSignal): Promise<Secret>
  /** For how long the secret that was fetched last is used, in milliseconds; null before. Absent where none is fetched. */
  goodForMs?(): number | null
  /** Ends what is under way. */
  dispose(): void
}
