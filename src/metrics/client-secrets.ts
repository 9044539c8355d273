import type { SecretView } from '../model/expiry.ts'
import type { RecordReader } from '../store/records/query.ts'

/** Secrets of all API clients, by client id; `ownClientId` in any letter case. */
export async function readSecrets(reader: RecordReader, ownClientId: string | null): Promise<readonly SecretView[]> {
  const ownId = ownClientId?.toLowerCase()
  const secrets: SecretView[] = []
  for await (const batch of reader.select('api-clients')) {
    for (const { key, fields, times } of batch)
      secrets.push({
        clientId: key,
        name: textOrNull(fields['name']),
        role: textOrNull(fields['roleName']),
        expiresAt: times['secretExpirationDateMs'] ?? Number.POSITIVE_INFINITY,
        own: key.toLowerCase() === ownId,
      })
  }
  return secrets
}

/** Those that expire, the earliest first. */
export function byExpiry(secrets: readonly SecretView[]): readonly SecretView[] {
  return secrets.filter(({ expiresAt }) => Number.isFinite(expiresAt)).toSorted((a, b) => a.expiresAt - b.expiresAt)
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
