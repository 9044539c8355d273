/**
 * Values that must never be stored or logged, under names or in forms that give them away
 * (docs/internals/sync.md#15-record).
 */
export const canaries = [
  'canary-client-secret-1',
  'canary-content-2',
  'canary-signature-3',
  'canary-nested-key-4',
  'canary-long-text-5',
  '5ec7e7c0ffee5ec7e7c0ffee5ec7e7c0ffee5ec7',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLWNhbmFyeQ',
] as const

const [clientSecret, content, signature, nested, long, hex, jwt] = canaries

/** An e-mail address in the name of a field, which no log line may carry. */
export const namedPerson = 'canary.person@acme.test'

/** Fields that the specification does not have. */
export const secretFields: Readonly<Record<string, unknown>> = {
  clientSecret,
  content,
  downloadUrl: `https://files.test/file?sig=${signature}`,
  integration: { steps: [{ api_key: nested }] },
  remark: `${long} `.repeat(20),
  reference: hex,
  note: jwt,
  [`notes of ${namedPerson}`]: 'none',
}
