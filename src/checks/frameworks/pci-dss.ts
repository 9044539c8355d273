import { drift, type Framework, mfa, secretLife } from './framework.ts'

/** PCI DSS 4.0.1: requirements 7 and 8, and those on configuration, change, logs and policy beside them. */
export const pciDss = {
  id: 'pcidss',
  name: 'PCI DSS 4.0.1',
  aliases: ['pci', 'pcidss', 'pcidss401'],
  requirements: [
    { id: '2.2.1', title: 'Configuration standards are kept', checks: ['auth-settings-unchanged'] },
    { id: '6.5.1', title: 'Changes in production follow a procedure', checks: drift },
    { id: '7.2.1', title: 'An access model is defined', checks: [] },
    {
      id: '7.2.2',
      title: 'Users have the access that their job needs',
      checks: ['user-least-privilege', 'user-role-active'],
    },
    { id: '7.2.3', title: 'Privileges are approved', checks: [] },
    { id: '7.2.4', title: 'User accounts and their privileges are reviewed every six months', checks: [] },
    {
      id: '7.2.5',
      title: 'Application accounts have the least privilege that they need',
      checks: ['api-client-least-privilege', 'api-client-role-active', 'role-permissions-unchanged'],
    },
    { id: '7.2.5.1', title: 'Application accounts and their privileges are reviewed', checks: [] },
    { id: '8.2.1', title: 'Every user has an identity of their own', checks: [] },
    {
      id: '8.2.4',
      title: 'Identities are added, changed and deleted with approval',
      checks: ['user-invitation-accepted'],
    },
    { id: '8.2.5', title: 'Access of people who leave is revoked immediately', checks: [] },
    { id: '8.2.6', title: 'Inactive accounts are disabled within 90 days', checks: [] },
    { id: '8.3.6', title: 'Passwords are long and complex', checks: [] },
    { id: '8.3.9', title: 'Passwords that are the only factor are changed or risk-checked', checks: [] },
    { id: '8.4.1', title: 'Administrative access needs several factors', checks: mfa },
    { id: '8.4.2', title: 'All access to card data needs several factors', checks: mfa },
    { id: '8.5.1', title: 'Multi-factor sign-in cannot be bypassed', checks: ['auth-sso-enforced'] },
    { id: '8.6.1', title: 'People sign in to application accounts by exception only', checks: [] },
    { id: '8.6.2', title: 'Secrets of application accounts are not stored in scripts or files', checks: [] },
    { id: '8.6.3', title: 'Secrets of application accounts are renewed in time', checks: secretLife },
    { id: '10.4.1', title: 'Audit logs are reviewed daily', checks: [] },
    { id: '12.1.1', title: 'A security policy exists and is known', checks: ['document-required-present'] },
    { id: '12.1.2', title: 'The security policy is reviewed every 12 months', checks: ['document-current'] },
  ],
} as const satisfies Framework
