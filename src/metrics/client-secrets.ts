import type { ClientSecret, SecretView } from '../model/expiry.ts'
import type { MirrorRecord, RecordReader } from '../store/records/query.ts'

/** Secrets that expire, the earliest first; `ownClientId` in any letter case. */
export async function readClientSecrets(
  reader: RecordReader,
  ownClientId: string | null = null,
): Promise<readonly SecretView[]> {
  const ownId = ownClientId?.toLowerCase()
  const secrets = await readSecrets(reader)
  return secrets
    .filter(({ expiresAt }) => Number.isFinite(expiresAt))
    .map((client) => ({ ...client, own: client.clientId.toLowerCase() === ownId }))
    .toSorted((a, b) => a.expiresAt - b.expiresAt)
}

/** Of all clients, sorted by id. */
export async function readSecrets(reader: RecordReader): Promise<readonly ClientSecret[]> {
  const secrets: ClientSecret[] = []
  for await (const batch of reader.select('api-clients')) secrets.push(...batch.map(toClient))
  return secrets
}

function toClient({ key, fields, times }: MirrorRecord): ClientSecret {
  return {
    clientId: key,
    name: textOrNull(fields['name']),
    role: textOrNull(fields['roleName']),
    expiresAt: times['secretExpirationDateMs'] ?? Number.POSITIVE_INFINITY,
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
