import { drift, type Framework, mfa, policies, secretLife } from './framework.ts'

/** ISO/IEC 27001:2022, controls of Annex A on policies, access, authentication, configuration and monitoring. */
export const iso27001 = {
  id: 'iso27001',
  name: 'ISO/IEC 27001:2022, Annex A',
  aliases: ['iso', 'iso27001', 'isoiec27001', 'isoiec270012022'],
  requirements: [
    { id: 'A.5.1', title: 'Security policies exist and are reviewed', checks: policies },
    { id: 'A.5.3', title: 'Conflicting duties are kept apart', checks: [] },
    {
      id: 'A.5.15',
      title: 'Access follows rules of the business and of security',
      checks: ['api-client-least-privilege', 'api-client-role-active', 'user-least-privilege', 'user-role-active'],
    },
    { id: 'A.5.16', title: 'Identities are managed over their whole life', checks: ['user-invitation-accepted'] },
    { id: 'A.5.17', title: 'Secrets and passwords are managed', checks: secretLife },
    {
      id: 'A.5.18',
      title: 'Access rights are granted, reviewed, changed and withdrawn',
      checks: [
        'api-client-least-privilege',
        'api-client-role-active',
        'permission-catalogue-known',
        'role-permissions-unchanged',
        'user-least-privilege',
        'user-role-active',
      ],
    },
    { id: 'A.5.23', title: 'Cloud services are acquired, used and left securely', checks: [] },
    { id: 'A.5.28', title: 'Evidence of security events is collected and kept', checks: [] },
    { id: 'A.5.36', title: 'Compliance with own policies and standards is reviewed', checks: [] },
    {
      id: 'A.5.37',
      title: 'Procedures are documented and available',
      checks: [...policies, 'document-name-unique', 'document-processing-finished', 'document-status-known'],
    },
    {
      id: 'A.8.2',
      title: 'Privileged access is restricted and managed',
      checks: ['api-client-least-privilege', 'role-permissions-unchanged', 'user-least-privilege'],
    },
    {
      id: 'A.8.3',
      title: 'Access to information follows the access rules',
      checks: ['api-client-least-privilege', 'user-least-privilege', 'user-role-active'],
    },
    { id: 'A.8.5', title: 'Sign-in is secure', checks: [...mfa, 'auth-sso-enforced'] },
    { id: 'A.8.9', title: 'Configurations are defined, monitored and reviewed', checks: drift },
    { id: 'A.8.15', title: 'Activities are logged', checks: [] },
    { id: 'A.8.16', title: 'Systems are monitored for anomalies', checks: [] },
    { id: 'A.8.32', title: 'Changes are controlled', checks: drift },
  ],
} as const satisfies Framework
