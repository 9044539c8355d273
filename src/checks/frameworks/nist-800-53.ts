import { drift, type Framework, mfa, policies, secretLife } from './framework.ts'

/** NIST SP 800-53 revision 5: access control, configuration management, identification and authentication. */
export const nist80053 = {
  id: 'nist80053',
  name: 'NIST SP 800-53, revision 5',
  aliases: ['nist', 'nist80053', 'nistsp80053', 'nistsp80053rev5'],
  requirements: [
    { id: 'AC-1', title: 'Access policy and procedures exist and are reviewed', checks: policies },
    {
      id: 'AC-2',
      title: 'Accounts are managed',
      checks: ['user-invitation-accepted', 'user-role-active'],
    },
    { id: 'AC-2(3)', title: 'Accounts that are expired or unused are disabled', checks: [] },
    {
      id: 'AC-2(7)',
      title: 'Privileged roles are assigned and monitored',
      checks: ['permission-catalogue-known', 'role-permissions-unchanged'],
    },
    { id: 'AC-3', title: 'Approved access is enforced', checks: ['api-client-role-active', 'user-role-active'] },
    { id: 'AC-5', title: 'Duties are separated', checks: [] },
    {
      id: 'AC-6',
      title: 'Only the access that is needed is granted',
      checks: ['api-client-least-privilege', 'role-permissions-unchanged', 'user-least-privilege'],
    },
    { id: 'AC-6(7)', title: 'Privileges are reviewed', checks: [] },
    { id: 'AU-6', title: 'Audit records are reviewed', checks: [] },
    { id: 'CM-2', title: 'A baseline configuration is kept', checks: drift },
    { id: 'CM-3', title: 'Changes of configuration are controlled', checks: drift },
    {
      id: 'CM-6',
      title: 'Settings are as restrictive as operation allows, and deviations are known',
      checks: ['auth-mfa-policy-enabled', 'auth-settings-unchanged', 'auth-sso-enforced'],
    },
    { id: 'IA-2', title: 'Users are identified and authenticated', checks: ['auth-sso-enforced'] },
    { id: 'IA-2(1)', title: 'Privileged accounts need several factors', checks: mfa },
    { id: 'IA-2(2)', title: 'Other accounts need several factors', checks: mfa },
    { id: 'IA-5', title: 'Authenticators are managed and renewed', checks: secretLife },
    { id: 'IA-5(1)', title: 'Passwords are strong and protected', checks: [] },
    { id: 'PS-4', title: 'Access ends when a person leaves', checks: [] },
    { id: 'SI-4', title: 'Systems are monitored for attacks', checks: [] },
  ],
} as const satisfies Framework
