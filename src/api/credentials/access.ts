import { hash } from 'node:crypto'
import { Mutex } from 'async-mutex'
import type { Clock } from '../../model/clock.ts'
import { SyncError } from '../../model/errors.ts'
import type { Log } from '../../model/log.ts'
import { waitFor } from '../deadline.ts'
import type { Endpoint } from '../endpoints.ts'
import type { Secret, SecretSource } from './secret.ts'

interface Credential {
  readonly secret: Secret
  readonly generation: number
  readonly identity: number
  /** Digest of the secret, or of the name of its OAuth client: the same in each process. */
  readonly digest: string
}

/** Numbers the identities of answers (AnswerMeta.identity): data under a new one is verified before any commit. */
class Identity {
  readonly #client: string | null
  readonly #denied = new Set<string>()
  #secret: Secret | undefined
  #digest = ''
  #generation = 0
  #identity = 1

  constructor(client: string | null) {
    this.#client = client
  }

  get number(): number {
    return this.#identity
  }

  credentialOf(secret: Secret): Credential {
    if (this.#secret === undefined || !this.#secret.equals(secret)) {
      if (this.#secret !== undefined && this.#client === null) this.#identity += 1
      this.#secret = secret
      this.#digest = digestOf(this.#client ?? secret.expose())
      this.#generation += 1
    }
    return { secret: this.#secret, generation: this.#generation, identity: this.#identity, digest: this.#digest }
  }

  denied(template: string): void {
    this.#denied.add(template)
  }

  /** The identity of an answer of this endpoint; the end of a refusal begins a new one. */
  answered(template: string, credential: Credential): number {
    if (!this.#denied.delete(template)) return credential.identity
    this.#identity += 1
    return this.#identity
  }

  revived(): void {
    this.#denied.clear()
    this.#identity += 1
  }
}

/** Long enough to distinguish credentials; reveals nothing about a random secret. */
const digestLength = 12

function digestOf(text: string): string {
  return hash('sha256', `tenantwatch credential ${text}`).slice(0, digestLength)
}

export interface AccessOptions {
  readonly source: SecretSource
  readonly clock: Clock
  readonly log: Log
  readonly cycleMs: number
  readonly probes: readonly Endpoint[]
  /** The HTTP status of one request; undefined without an answer. */
  probe(endpoint: Endpoint, credential: Credential, signal?: AbortSignal): Promise<number | undefined>
}

interface Dead {
  credential: Credential
  readonly status: Refusal
  nextProbeAt: number
  trying: boolean
}

/** Distinguishes a refused token from a missing permission, which look alike (docs/api.md#authentication). */
export class Access {
  readonly #options: AccessOptions
  readonly #identity: Identity
  readonly #successes = new Map<string, { readonly generation: number; readonly at: number }>()
  #dead: Dead | undefined
  #turn = 0
  /** Serialized, so that many refusals at once cost one round of probes. */
  readonly #classifying = new Mutex()

  constructor(options: AccessOptions) {
    this.#options = options
    this.#identity = new Identity(options.source.client)
  }

  /** @throws SyncError `unauthorized` while the credential is refused, or when there is none. */
  async token(signal?: AbortSignal): Promise<Credential> {
    const dead = this.#dead
    if (dead === undefined) {
      const before = this.#identity.number
      const credential = this.#identity.credentialOf(await this.#options.source.current(signal))
      if (credential.identity !== before) {
        this.#options.log.info({}, 'The credential changed: the tenant is identified again before anything is written')
      }
      return credential
    }
    const seen = await this.#options.source.peek()
    if (this.#dead !== dead) return this.token(signal)
    if (dead.trying) throw deadCredential(dead.status)
    if (seen !== undefined && !seen.equals(dead.credential.secret))
      return this.#revive(seen, 'A new credential replaces the refused one')
    const now = this.#options.clock.monotonic()
    if (now < dead.nextProbeAt) throw deadCredential(dead.status)
    dead.nextProbeAt = now + this.#options.cycleMs
    dead.trying = true
    try {
      return await this.#tryAgain(dead, signal)
    } finally {
      dead.trying = false
    }
  }

  async renewed(credential: Credential, signal?: AbortSignal): Promise<boolean> {
    try {
      return (
        this.#identity.credentialOf(await this.#options.source.renew(credential.secret, signal)).generation !==
        credential.generation
      )
    } catch (error) {
      if (signal?.aborted === true) throw error
      const problem = error instanceof SyncError ? error.message : 'unforeseen error'
      this.#options.log.warn({ problem }, 'The refused token could not be fetched again')
      return false
    }
  }

  answered(endpoint: Endpoint, credential: Credential): number {
    this.#succeeded(endpoint, credential)
    return this.#identity.answered(endpoint.template, credential)
  }

  /** `missing_permission` or `unauthorized`, for a 403 or a repeated 401. */
  async denied(endpoint: Endpoint, credential: Credential, status: Refusal, signal?: AbortSignal): Promise<SyncError> {
    return waitFor(
      this.#classifying.runExclusive(() => this.#classify(endpoint, credential, status, signal)),
      signal,
    )
  }

  async #classify(
    endpoint: Endpoint,
    credential: Credential,
    status: Refusal,
    signal?: AbortSignal,
  ): Promise<SyncError> {
    if (this.#dead?.credential.generation === credential.generation) return deadCredential(status)
    // If this permission worked before, something changed, and successes before the change prove nothing.
    const wasLetIn = this.#successes.get(endpoint.permission)?.generation === credential.generation
    const missing = missingPermission(endpoint, status)
    if (!wasLetIn && this.#provenElsewhere(endpoint, credential)) return this.#deny(endpoint, missing)
    for (const probe of this.#options.probes) {
      if (probe.permission === endpoint.permission) continue
      const found = await this.#probe(probe, credential, signal)
      if (isRefusal(found)) continue
      return this.#deny(endpoint, found === 200 ? missing : undecided(endpoint, status))
    }
    const nextProbeAt = this.#options.clock.monotonic() + this.#options.cycleMs
    this.#dead = { credential, status, nextProbeAt, trying: false }
    return deadCredential(status)
  }

  async #tryAgain(dead: Dead, signal?: AbortSignal): Promise<Credential> {
    await this.renewed(dead.credential, signal)
    const credential = this.#identity.credentialOf(await this.#options.source.current(signal))
    const isNew = credential.generation !== dead.credential.generation
    dead.credential = credential
    const { probes } = this.#options
    const probe = probes[this.#turn++ % probes.length]
    const status = probe === undefined ? undefined : await this.#probe(probe, credential, signal)
    if (status === undefined || isRefusal(status)) throw deadCredential(dead.status)
    return this.#revive(credential.secret, isNew ? 'A new credential is accepted' : 'The credential is accepted again')
  }

  async #probe(endpoint: Endpoint, credential: Credential, signal?: AbortSignal): Promise<number | undefined> {
    const status = await this.#options.probe(endpoint, credential, signal)
    if (status === 200) this.#succeeded(endpoint, credential)
    return status
  }

  #revive(secret: Secret, how: string): Credential {
    this.#dead = undefined
    this.#identity.revived()
    this.#options.log.info({}, how)
    return this.#identity.credentialOf(secret)
  }

  #deny(endpoint: Endpoint, checkResult: SyncError): SyncError {
    this.#identity.denied(endpoint.template)
    this.#successes.delete(endpoint.permission)
    return checkResult
  }

  #succeeded({ permission }: Endpoint, { generation }: Credential): void {
    this.#successes.set(permission, { generation, at: this.#options.clock.monotonic() })
  }

  #provenElsewhere({ permission }: Endpoint, { generation }: Credential): boolean {
    const since = this.#options.clock.monotonic() - this.#options.cycleMs
    for (const [other, success] of this.#successes) {
      if (other !== permission && success.generation === generation && success.at >= since) return true
    }
    return false
  }
}

/** Statuses that refuse a token or a permission: the specification has 401 for both. */
export type Refusal = 401 | 403

export function isRefusal(status: number | undefined): status is Refusal {
  return status === 401 || status === 403
}

/** The token works elsewhere: the role of the API client lacks this permission. */
function missingPermission({ permission, template }: Endpoint, status: Refusal): SyncError {
  return new SyncError('missing_permission', `The token lacks the permission ${permission}, which ${template} needs`, {
    status,
    hint: `Give the role of the API client the permission ${permission}, or switch the resource off`,
  })
}

function deadCredential(status: Refusal): SyncError {
  return new SyncError('unauthorized', 'The tenant refuses the token for every permission', {
    status,
    hint: 'The token or the client secret is wrong, expired or revoked: replace it (one in a variable takes a restart); or the role of the API client has none of the permissions to read: grant them; or the tenant wants another auth.header or auth.scheme',
  })
}

function undecided({ permission, template }: Endpoint, status: Refusal): SyncError {
  return new SyncError('unauthorized', `${template} answered ${status}, and no other permission could be tried`, {
    status,
    undecided: true,
    hint: `Either the token is refused or it lacks the permission ${permission}`,
  })
}
