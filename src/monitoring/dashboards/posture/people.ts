import { neutral, ofTenants, type RowSpec, words } from '../panel.ts'

export const people: RowSpec = {
  title: 'People and settings',
  panels: [
    {
      title: 'Users with mfaStatus true',
      description:
        'Share of all users in the mirror, from the raw flags. The check decides by its own setting which users count as enrolled.',
      kind: 'stat',
      queries: [
        {
          expr: `(sum by (tenant) (${ofTenants('tenantwatch_users', 'mfa_status="true"')}) or sum by (tenant) (${ofTenants('tenantwatch_users')}) * 0)\n/ (sum by (tenant) (${ofTenants('tenantwatch_users')}) > 0)`,
          legend: '{{tenant}}',
        },
      ],
      unit: 'percentunit',
      decimals: 1,
      span: 6,
      height: 8,
      steps: neutral,
      noValue: 'no users read',
    },
    {
      title: 'Users by state and flags',
      description: 'Number of users by the raw values of state, mfaStatus and mfaAction.',
      kind: 'table',
      queries: [{ expr: `sum by (tenant, state, mfa_status, mfa_action) (${ofTenants('tenantwatch_users')})` }],
      unit: 'none',
      span: 10,
      columns: { tenant: 'Tenant', state: 'State', mfa_status: 'mfaStatus', mfa_action: 'mfaAction', Value: 'Users' },
      sort: { by: 'Users', descending: true },
      steps: neutral,
      noValue: 'no users read',
    },
    {
      title: 'Protections',
      description: 'Multi-factor policy, single sign-on and its enforcement, over time.',
      kind: 'states',
      queries: [
        { expr: ofTenants('tenantwatch_mfa_policy_enabled'), legend: '{{tenant}} MFA policy' },
        { expr: ofTenants('tenantwatch_sso_enabled'), legend: '{{tenant}} SSO' },
        { expr: ofTenants('tenantwatch_sso_enforced'), legend: '{{tenant}} SSO enforced' },
      ],
      unit: 'none',
      span: 8,
      words: words({ '0': ['off', 'red'], '1': ['on', 'green'] }),
      noValue: 'settings not read',
    },
  ],
}
