import { hash } from 'node:crypto'
import type { FindingFacts, ResultFacts, StoredEvent, WaiverLapseFacts } from '../event-store.ts'
import type { TenantState } from '../history/tenant-states.ts'

export type EventPlace = Pick<StoredEvent, 'id' | 'at' | 'kind' | 'subject'>

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

/** The state that the events of a tenant lead to, in the order of their ids. */
export class LastEvents {
  readonly findings = new Map<string, FindingState>()
  readonly results = new Map<string, ResultFacts | null>()
  /** By waiver, the lapses under the terms in force. */
  readonly lapses = new Map<string, (Pick<WaiverLapseFacts, 'terms'> & { readonly fingerprint: string })[]>()
  /** By hash, the first event that names a configuration. */
  readonly configurations = new Map<string, EventPlace>()

  /** @param data null if it is erased or was changed. */
  add(event: EventPlace, data: unknown): void {
    const { kind, subject, at } = event
    switch (kind) {
      case 'finding.opened':
        this.findings.set(subject, { isOpen: true, at, facts: digestOf(data), openedAt: at, reopened: 0 })
        break
      case 'finding.changed':
      case 'finding.resolved':
      case 'finding.reopened': {
        const { openedAt = null, reopened = 0 } = this.findings.get(subject) ?? {}
        const times = reopened + (kind === 'finding.reopened' ? 1 : 0)
        const isOpen = kind !== 'finding.resolved'
        this.findings.set(subject, { isOpen, at, facts: digestOf(data), openedAt, reopened: times })
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
        if (data !== null) {
          const { waiver, terms } = data as WaiverLapseFacts
          const lapses = this.lapses.get(waiver) ?? []
          lapses.push({ terms, fingerprint: subject })
          this.lapses.set(waiver, lapses)
        }
        break
      case 'tenant.state': {
        const { configuration = null } = (data ?? {}) as Partial<TenantState>
        if (configuration !== null && !this.configurations.has(configuration))
          this.configurations.set(configuration, event)
        break
      }
      default:
        break
    }
  }
}

const digestOf = (data: unknown) => (data === null ? null : factsOf(data as FindingFacts))
