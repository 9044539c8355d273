import type { Framework } from './framework.ts'

/** ISO/IEC 27001:2022, controls of Annex A on policies, access, authentication, configuration and monitoring. */
export const iso27001 = {
  id: 'iso27001',
  name: 'ISO/IEC 27001:2022, Annex A',
  aliases: ['iso', 'iso27001', 'iso270012022', 'isoiec27001', 'isoiec270012022'],
  requirements: [
    { id: 'A.5.1', title: 'Security policies exist and are reviewed' },
    { id: 'A.5.3', title: 'Conflicting duties are kept apart' },
    { id: 'A.5.15', title: 'Access follows rules of the business and of security' },
    { id: 'A.5.16', title: 'Identities are managed over their whole life' },
    { id: 'A.5.17', title: 'Secrets and passwords are managed' },
    { id: 'A.5.18', title: 'Access rights are granted, reviewed, changed and withdrawn' },
    { id: 'A.5.23', title: 'Cloud services are acquired, used and left securely' },
    { id: 'A.5.28', title: 'Evidence of security events is collected and kept' },
    { id: 'A.5.36', title: 'Compliance with own policies and standards is reviewed' },
    { id: 'A.5.37', title: 'Procedures are documented and available' },
    { id: 'A.8.2', title: 'Privileged access is restricted and managed' },
    { id: 'A.8.3', title: 'Access to information follows the access rules' },
    { id: 'A.8.5', title: 'Sign-in is secure' },
    { id: 'A.8.9', title: 'Configurations are defined, monitored and reviewed' },
    { id: 'A.8.15', title: 'Activities are logged' },
    { id: 'A.8.16', title: 'Systems are monitored for anomalies' },
    { id: 'A.8.32', title: 'Changes are controlled' },
  ],
} as const satisfies Framework
