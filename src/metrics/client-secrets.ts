import type { ClientSecret, SecretView } from '../model/expiry.ts'
import type { MirrorRecord, RecordReader } from '../store/records/query.ts'

/** Secrets by expiry, the earliest first; `ownClientId` in any letter case. */
export async function readClientSecrets(
  reader: RecordReader,
  ownClientId: string | null = null,
): Promise<readonly SecretView[]> {
  const ownId = ownClientId?.toLowerCase()
  const secrets = await readSecrets(reader)
  return secrets
    .map((client) => ({ ...client, own: client.clientId.toLowerCase() === ownId }))
    .toSorted((a, b) => a.expiresAt - b.expiresAt)
}

/** Sorted by client id. */
export async function readSecrets(reader: RecordReader): Promise<readonly ClientSecret[]> {
  const secrets: ClientSecret[] = []
  for await (const batch of reader.select('api-clients'))
    secrets.push(...batch.flatMap((record) => toClient(record) ?? []))
  return secrets
}

function toClient({ key, fields, times }: MirrorRecord): ClientSecret | undefined {
  const expiresAt = times['secretExpirationDateMs']
  if (typeof expiresAt !== 'number') return undefined
  return {
    clientId: key,
    name: textOrNull(fields['name']),
    role: textOrNull(fields['roleName']),
    expiresAt,
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
