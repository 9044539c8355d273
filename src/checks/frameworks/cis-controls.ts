import type { Framework } from './framework.ts'

/** CIS Critical Security Controls version 8: safeguards on accounts, access and configuration. */
export const cisControls = {
  id: 'cis',
  name: 'CIS Controls, version 8',
  aliases: ['cis', 'ciscontrols', 'cisv8'],
  requirements: [
    { id: '4.1', title: 'Configuration is kept secure by a process' },
    { id: '5.1', title: 'Accounts are inventoried' },
    { id: '5.2', title: 'Passwords are unique' },
    { id: '5.3', title: 'Dormant accounts are disabled' },
    { id: '5.4', title: 'Administrative privileges are on dedicated accounts' },
    { id: '5.5', title: 'Service accounts are inventoried and reviewed' },
    { id: '5.6', title: 'Accounts are managed in one place' },
    { id: '6.1', title: 'Access is granted by a process' },
    { id: '6.2', title: 'Access is revoked by a process' },
    { id: '6.3', title: 'Exposed applications need several factors' },
    { id: '6.4', title: 'Remote network access needs several factors' },
    { id: '6.5', title: 'Administrative access needs several factors' },
    { id: '6.6', title: 'Systems that authenticate and authorize are inventoried' },
    { id: '6.7', title: 'Access is controlled in one place' },
    { id: '6.8', title: 'Access follows defined roles' },
    { id: '8.2', title: 'Audit logs are collected' },
    { id: '15.2', title: 'Service providers are managed by a policy' },
  ],
} as const satisfies Framework
