import { hash } from 'node:crypto'

export interface FindingIdentity {
  readonly tenant: string
  readonly check: string
  readonly entityType: string
  readonly entityId: string
}

export function fingerprintOf({ tenant, check, entityType, entityId }: FindingIdentity): string {
  return hash('sha256', JSON.stringify([tenant, check, entityType, entityId])).slice(0, 32)
}
