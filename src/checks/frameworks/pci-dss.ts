import type { Framework } from './framework.ts'

/** PCI DSS 4.0.1: requirements 7 and 8, and those on configuration, change, logs and policy beside them. */
export const pciDss = {
  id: 'pcidss',
  name: 'PCI DSS 4.0.1',
  aliases: ['pci', 'pcidss', 'pcidss401'],
  requirements: [
    { id: '2.2.1', title: 'Configuration standards are kept' },
    { id: '6.5.1', title: 'Changes in production follow a procedure' },
    { id: '7.2.1', title: 'An access model is defined' },
    { id: '7.2.2', title: 'Users have the access that their job needs' },
    { id: '7.2.3', title: 'Privileges are approved' },
    { id: '7.2.4', title: 'User accounts and their privileges are reviewed every six months' },
    { id: '7.2.5', title: 'Application accounts have the least privilege that they need' },
    { id: '7.2.5.1', title: 'Application accounts and their privileges are reviewed' },
    { id: '8.2.1', title: 'Every user has an identity of their own' },
    { id: '8.2.4', title: 'Identities are added, changed and deleted with approval' },
    { id: '8.2.5', title: 'Access of people who leave is revoked immediately' },
    { id: '8.2.6', title: 'Inactive accounts are disabled within 90 days' },
    { id: '8.3.6', title: 'Passwords are long and complex' },
    { id: '8.3.9', title: 'Passwords that are the only factor are changed or risk-checked' },
    { id: '8.4.1', title: 'Administrative access needs several factors' },
    { id: '8.4.2', title: 'All access to card data needs several factors' },
    { id: '8.5.1', title: 'Multi-factor sign-in cannot be bypassed' },
    { id: '8.6.1', title: 'People sign in to application accounts by exception only' },
    { id: '8.6.2', title: 'Secrets of application accounts are not stored in scripts or files' },
    { id: '8.6.3', title: 'Secrets of application accounts are renewed in time' },
    { id: '10.4.1', title: 'Audit logs are reviewed daily' },
    { id: '12.1.1', title: 'A security policy exists and is known' },
    { id: '12.1.2', title: 'The security policy is reviewed every 12 months' },
  ],
} as const satisfies Framework
