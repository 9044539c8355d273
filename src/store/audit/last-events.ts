import { hash } from 'node:crypto'
import type { FindingFacts, ResultFacts, StoredEvent, WaiverLapseFacts } from '../event-store.ts'
import type { TenantState } from '../history/tenant-states.ts'

/** What the events of a finding say about it. */
export interface FindingState {
  readonly isOpen: boolean
  /** Of the last event. */
  readonly at: number
  /** Digest; null if the data of the last event is missing. */
  readonly facts: string | null
  readonly openedAt: number | null
  readonly reopened: number
}

/** A digest, because there may be a million findings. */
export function factsOf({ severity, message, evidence, resolution = null }: FindingFacts): string {
  return hash('sha256', JSON.stringify([severity, message, evidence, resolution]), 'base64url')
}

interface NamedConfiguration {
  readonly id: number
  readonly at: number
  readonly hash: string
}

/** The state that the events of a tenant lead to, in the order of their ids. */
export class LastEvents {
  readonly findings = new Map<string, FindingState>()
  readonly results = new Map<string, ResultFacts | null>()
  /** By waiver, the lapses under the terms in force. */
  readonly lapses = new Map<string, WaiverLapseFacts[]>()
  readonly configurations: NamedConfiguration[] = []

  /** @param data null if it is erased or was changed. */
  add({ id, at, kind, subject }: Omit<StoredEvent, 'data'>, data: unknown): void {
    switch (kind) {
      case 'finding.opened':
      case 'finding.changed':
      case 'finding.resolved':
      case 'finding.reopened': {
        const before = this.findings.get(subject)
        const reopened = kind === 'finding.opened' ? 0 : (before?.reopened ?? 0) + (kind === 'finding.reopened' ? 1 : 0)
        const openedAt = kind === 'finding.opened' ? at : (before?.openedAt ?? null)
        const facts = data === null ? null : factsOf(data as FindingFacts)
        this.findings.set(subject, { isOpen: kind !== 'finding.resolved', at, facts, openedAt, reopened })
        break
      }
      case 'result':
        this.results.set(subject, data as ResultFacts | null)
        break
      case 'waiver.agreed':
      case 'waiver.renewed':
        this.lapses.set(subject, [])
        break
      case 'waiver.lapsed':
        if (data !== null) this.lapses.set(subject, [...(this.lapses.get(subject) ?? []), data as WaiverLapseFacts])
        break
      case 'tenant.state': {
        const { configuration } = (data ?? { configuration: null }) as TenantState
        if (configuration !== null && configuration !== this.configurations.at(-1)?.hash)
          this.configurations.push({ id, at, hash: configuration })
        break
      }
      default:
        break
    }
  }
}
