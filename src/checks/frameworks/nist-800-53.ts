import type { Framework } from './framework.ts'

/** NIST SP 800-53 revision 5: access control, configuration management, identification and authentication. */
export const nist80053 = {
  id: 'nist80053',
  name: 'NIST SP 800-53, revision 5',
  aliases: ['nist', 'nist80053', 'nistsp80053', 'nistsp80053rev5'],
  requirements: [
    { id: 'AC-1', title: 'Access policy and procedures exist and are reviewed' },
    { id: 'AC-2', title: 'Accounts are managed' },
    { id: 'AC-2(3)', title: 'Accounts that are expired or unused are disabled' },
    { id: 'AC-2(7)', title: 'Privileged roles are assigned and monitored' },
    { id: 'AC-3', title: 'Approved access is enforced' },
    { id: 'AC-5', title: 'Duties are separated' },
    { id: 'AC-6', title: 'Only the access that is needed is granted' },
    { id: 'AC-6(7)', title: 'Privileges are reviewed' },
    { id: 'AU-6', title: 'Audit records are reviewed' },
    { id: 'CM-2', title: 'A baseline configuration is kept' },
    { id: 'CM-3', title: 'Changes of configuration are controlled' },
    { id: 'CM-6', title: 'Settings are as restrictive as operation allows, and deviations are known' },
    { id: 'IA-2', title: 'Users are identified and authenticated' },
    { id: 'IA-2(1)', title: 'Privileged accounts need several factors' },
    { id: 'IA-2(2)', title: 'Other accounts need several factors' },
    { id: 'IA-5', title: 'Authenticators are managed and renewed' },
    { id: 'IA-5(1)', title: 'Passwords are strong and protected' },
    { id: 'PS-4', title: 'Access ends when a person leaves' },
    { id: 'SI-4', title: 'Systems are monitored for attacks' },
  ],
} as const satisfies Framework
