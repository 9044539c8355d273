import { hash } from 'node:crypto'
import { Mutex } from 'async-mutex'
import type { Clock } from '../../model/clock.ts'
import { SyncError } from '../../model/errors.ts'
import type { Log } from '../../model/log.ts'
import { secondMs } from '../../model/time.ts'
import { waitFor } from '../deadline.ts'
import type { Endpoint } from '../endpoints.ts'
import type { Secret, SecretSource } from './secret.ts'

interface Credential {
  readonly secret: Secret
  /** Differs for each secret. */
  readonly generation: number
  /** Numbers the identities of answers (AnswerMeta.identity): data under a new one is verified before any commit. */
  readonly identity: number
  /** Digest of the secret, or of the name of its OAuth client: the same in each process. */
  readonly digest: string
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

/** A credential that every permission refused. */
interface Dead {
  credential: Credential
  readonly status: Refusal
  nextProbeAt: number
}

/** Distinguishes a refused token from a missing permission, which look alike (docs/internals/sync.md#13-refusals). */
export class Access {
  readonly #options: AccessOptions
  /** By permission, the last success. */
  readonly #successes = new Map<string, { readonly generation: number; readonly at: number }>()
  /** Templates of endpoints that lacked their permission: the end of a refusal begins a new identity. */
  readonly #denied = new Set<string>()
  /** Serialized, so that many refusals at once cost one round of probes. */
  readonly #classifying = new Mutex()
  #known: Omit<Credential, 'identity'> | undefined
  /** When another secret replaced a former one, in monotonic time. */
  #changedAt = Number.NEGATIVE_INFINITY
  /** When the secret was last fetched after a refusal, in monotonic time. */
  #renewedAt = Number.NEGATIVE_INFINITY
  #identity = 1
  #dead: Dead | undefined
  #turn = 0

  constructor(options: AccessOptions) {
    this.#options = options
  }

  /** @throws SyncError `unauthorized` while the credential is refused, or when there is none. */
  async token(signal?: AbortSignal): Promise<Credential> {
    const before = this.#identity
    const credential = this.#credentialOf(await this.#options.source.current(signal))
    const dead = this.#dead
    if (dead === undefined) {
      if (credential.identity !== before) {
        this.#options.log.info({}, 'The credential changed: the tenant is identified again before anything is written')
      }
      return credential
    }
    if (credential.generation !== dead.credential.generation) {
      // A token that its OAuth client renews is no new credential.
      if (this.#options.source.client === null)
        return this.#revive(credential.secret, 'A new credential replaces the refused one')
      dead.credential = credential
    }
    const now = this.#options.clock.monotonic()
    if (now < dead.nextProbeAt) throw deadCredential(dead.status)
    dead.nextProbeAt = now + this.#options.cycleMs
    return this.#tryAgain(dead, signal)
  }

  /**
   * True if the secret that was fetched again is another one, or has just become one. For endpoints that lack their
   * permission, which are refused each time, it is fetched once a cycle.
   */
  async renewed({ secret, generation }: Credential, endpoint: Endpoint | null, signal?: AbortSignal): Promise<boolean> {
    const { source, clock, cycleMs, log } = this.#options
    const isLacking = endpoint !== null && this.#denied.has(endpoint.template)
    const isDue = !isLacking || clock.monotonic() - this.#renewedAt >= cycleMs
    if (isDue) this.#renewedAt = clock.monotonic()
    try {
      const found = this.#credentialOf(await (isDue ? source.renew(secret, signal) : source.current(signal)))
      return found.generation !== generation || clock.monotonic() - this.#changedAt < untilValidMs
    } catch (error) {
      if (signal?.aborted === true) throw error
      const problem = error instanceof SyncError ? error.message : 'unforeseen error'
      log.warn({ problem }, 'The refused token could not be fetched again')
      return false
    }
  }

  /** Notes a success; returns the identity of the answer. */
  answered(endpoint: Endpoint, credential: Credential): number {
    this.#succeeded(endpoint, credential)
    // An answer to an earlier secret is no news of the present one.
    const isPresent = credential.generation === this.#known?.generation
    if (!isPresent || !this.#denied.delete(endpoint.template)) return credential.identity
    this.#identity += 1
    return this.#identity
  }

  /** `missing_permission` or `unauthorized`, for a refusal that outlives a new token. */
  denied(endpoint: Endpoint, credential: Credential, status: Refusal, signal?: AbortSignal): Promise<SyncError> {
    const classify = () => this.#classify(endpoint, credential, status, signal)
    return waitFor(this.#classifying.runExclusive(classify), signal)
  }

  async #classify(endpoint: Endpoint, credential: Credential, status: Refusal, signal?: AbortSignal) {
    if (this.#dead?.credential.generation === credential.generation) return deadCredential(status)
    // If this permission worked before, something changed, and successes before the change prove nothing.
    const wasLetIn = this.#successes.get(endpoint.permission)?.generation === credential.generation
    if (!wasLetIn && this.#provenElsewhere(endpoint, credential)) return this.#deny(endpoint, status, true)
    for (const probe of this.#options.probes) {
      if (probe.permission === endpoint.permission) continue
      const found = await this.#probe(probe, credential, signal)
      if (!isRefusal(found)) return this.#deny(endpoint, status, found === 200)
    }
    const nextProbeAt = this.#options.clock.monotonic() + this.#options.cycleMs
    this.#dead = { credential, status, nextProbeAt }
    return deadCredential(status)
  }

  /** The credential at hand first: the API may accept a new one only a while after it was issued. */
  async #tryAgain(dead: Dead, signal?: AbortSignal): Promise<Credential> {
    const { source, probes: all } = this.#options
    // Rather those that let a credential in before: the role may lack the others.
    const known = all.filter(({ permission }) => this.#successes.has(permission))
    const first = known.length > 0 ? known : all
    const turn = this.#turn++
    const third = Math.floor(turn / 3)
    const probe = turn % 3 === 2 ? all[third % all.length] : first[(turn - third) % first.length]
    const status = probe === undefined ? undefined : await this.#probe(probe, dead.credential, signal)
    if (status !== undefined && !isRefusal(status)) {
      return this.#revive(dead.credential.secret, 'The credential is accepted now')
    }
    // For the next interval, in which it is the one at hand.
    await this.renewed(dead.credential, null, signal)
    dead.credential = this.#credentialOf(await source.current(signal))
    throw deadCredential(dead.status)
  }

  async #probe(endpoint: Endpoint, credential: Credential, signal?: AbortSignal): Promise<number | undefined> {
    const status = await this.#options.probe(endpoint, credential, signal)
    if (status === 200) this.#succeeded(endpoint, credential)
    return status
  }

  /** A renewed secret of one OAuth client is no new identity. */
  #credentialOf(secret: Secret): Credential {
    const { client } = this.#options.source
    if (this.#known?.secret.equals(secret) !== true) {
      const generation = (this.#known?.generation ?? 0) + 1
      if (this.#known !== undefined) {
        this.#changedAt = this.#options.clock.monotonic()
        if (client === null) this.#identity += 1
      }
      this.#known = { secret, generation, digest: digestOf(client ?? secret.expose()) }
    }
    return { ...this.#known, identity: this.#identity }
  }

  #revive(secret: Secret, how: string): Credential {
    this.#dead = undefined
    this.#denied.clear()
    this.#identity += 1
    this.#options.log.info({}, how)
    return this.#credentialOf(secret)
  }

  #deny(endpoint: Endpoint, status: Refusal, isAcceptedElsewhere: boolean): SyncError {
    this.#denied.add(endpoint.template)
    this.#successes.delete(endpoint.permission)
    return isAcceptedElsewhere ? missingPermission(endpoint, status) : undecided(endpoint, status)
  }

  #succeeded({ permission }: Endpoint, { generation }: Credential): void {
    this.#successes.set(permission, { generation, at: this.#options.clock.monotonic() })
  }

  #provenElsewhere({ permission }: Endpoint, { generation }: Credential): boolean {
    const since = this.#options.clock.monotonic() - this.#options.cycleMs
    return [...this.#successes].some(
      ([other, success]) => other !== permission && success.generation === generation && success.at >= since,
    )
  }
}

/** The API may accept a new token only a while after it was issued. */
export const untilValidMs = secondMs

/** Long enough to distinguish credentials; reveals nothing about a random secret. */
const digestLength = 12

function digestOf(text: string): string {
  return hash('sha256', `tenantwatch credential ${text}`).slice(0, digestLength)
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
