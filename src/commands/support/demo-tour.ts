import type { FindingView } from '../../model/finding.ts'

interface Step {
  /** What happens, and what the page shows within half a minute. */
  readonly what: string
  readonly path: 'tokens' | 'mutate'
  readonly body: object
  /** True if it raises a hold. */
  readonly isHeld?: boolean
  /** Body of the request that undoes it. */
  readonly back?: object
}

interface Tour {
  /** Expiry of new secrets, as ISO 8601. */
  readonly secretsUntil: string
  /** The command that lists holds. */
  readonly accept: string
}

/** Lines of the demo that break the simulated tenant, one command each. */
export function tourLines(
  controlUrl: string,
  findings: readonly FindingView[],
  { secretsUntil, accept }: Tour,
): readonly string[] {
  const command = (path: string, body: object) => `  curl -d '${JSON.stringify(body)}' ${controlUrl}/${path}`
  return stepsOf(findings, secretsUntil).flatMap(({ what, path, body, back, isHeld }) => [
    `  # ${what}`,
    command(path, body),
    ...(isHeld === true ? ['  # Half a minute later, see the hold and what to do:', accept] : []),
    ...(back === undefined ? [] : ['  # And back:', command(path, back)]),
  ])
}

function stepsOf(findings: readonly FindingView[], secretExpirationDate: string): readonly Step[] {
  const expired = findings.find(({ check }) => check === 'api-client-secret-not-expired')
  const rotate = { resource: 'api-clients', op: 'update', id: expired?.entity.id, fields: { secretExpirationDate } }
  const mfa = (mfaEnabled: boolean) => ({ resource: 'authentication-settings', op: 'update', fields: { mfaEnabled } })
  const token = (action: string, permission?: string) => ({ token: 'reader', action, permission })
  return [
    {
      what: 'The MFA policy is switched off: two findings open, and user-mfa-enrolled no longer applies',
      path: 'mutate',
      body: mfa(false),
      back: mfa(true),
    },
    ...(expired === undefined
      ? []
      : [
          {
            what: 'An expired secret is rotated: its finding is resolved as fixed',
            path: 'mutate',
            body: rotate,
          } as const,
        ]),
    {
      what: 'The token loses a permission: users fail as missing_permission, and their findings stay',
      path: 'tokens',
      body: token('deny', 'Api_Users_Read'),
      back: token('grant', 'Api_Users_Read'),
    },
    {
      what: 'The token becomes that of another tenant: the whole tenant is on hold, and no data is mixed',
      path: 'tokens',
      body: token('swap'),
      isHeld: true,
      back: token('swap'),
    },
    {
      what: 'The token is revoked: nothing can be read, and no finding is resolved',
      path: 'tokens',
      body: token('revoke'),
      back: token('restore'),
    },
  ]
}
