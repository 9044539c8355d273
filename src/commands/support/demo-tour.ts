import type { FindingView } from '../../model/finding.ts'

interface Step {
  /** What happens, and what is seen on the page within half a minute. */
  readonly what: string
  readonly path: 'tokens' | 'mutate'
  readonly body: object
}

/** Lines of the demo that break the simulated tenant, one command each. `secretsUntil` is an ISO 8601 date. */
export function tourLines(
  controlUrl: string,
  findings: readonly FindingView[],
  secretsUntil: string,
): readonly string[] {
  return stepsOf(findings, secretsUntil).flatMap(({ what, path, body }) => [
    `  # ${what}`,
    `  curl -d '${JSON.stringify(body)}' ${controlUrl}/${path}`,
  ])
}

function stepsOf(findings: readonly FindingView[], secretExpirationDate: string): readonly Step[] {
  const expired = findings.find(({ check }) => check === 'api-client-secret-not-expired')
  const rotate = { resource: 'api-clients', op: 'update', id: expired?.entity.id, fields: { secretExpirationDate } }
  return [
    {
      what: 'The MFA policy is switched off: two findings open, and user-mfa-enrolled no longer applies',
      path: 'mutate',
      body: { resource: 'authentication-settings', op: 'update', fields: { mfaEnabled: false } },
    },
    ...(expired === undefined
      ? []
      : [{ what: 'An expired secret is rotated: its finding ends as fixed', path: 'mutate', body: rotate } as const]),
    {
      what: 'The token loses a permission: users fail as missing_permission, their findings stay; "grant" gives it back',
      path: 'tokens',
      body: { token: 'reader', action: 'deny', permission: 'Api_Users_Read' },
    },
    {
      what: 'The token becomes that of another tenant: everything is held, nothing is mixed; the same command undoes it',
      path: 'tokens',
      body: { token: 'reader', action: 'swap' },
    },
    {
      what: 'The token is revoked: nothing can be read, and no finding ends; "restore" undoes it',
      path: 'tokens',
      body: { token: 'reader', action: 'revoke' },
    },
  ]
}
