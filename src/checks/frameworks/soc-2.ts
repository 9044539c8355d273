import { drift, type Framework, mfa, policies, secretLife } from './framework.ts'

/** AICPA Trust Services Criteria 2017 (points of focus of 2022): common criteria on access, change and monitoring. */
export const soc2 = {
  id: 'soc2',
  name: 'SOC 2, Trust Services Criteria 2017',
  aliases: ['soc2', 'tsc'],
  requirements: [
    {
      id: 'CC2.1',
      title: 'Controls use relevant information of good quality',
      checks: ['document-current', 'document-name-unique', 'document-processing-finished', 'document-status-known'],
    },
    { id: 'CC4.1', title: 'Controls are evaluated, ongoing and separately', checks: [] },
    { id: 'CC5.3', title: 'Policies and procedures implement controls', checks: policies },
    {
      id: 'CC6.1',
      title: 'Logical access to protected assets is restricted',
      checks: [...mfa, 'auth-sso-enforced', 'api-client-least-privilege', 'user-least-privilege', ...secretLife],
    },
    {
      id: 'CC6.2',
      title: 'Users are registered and authorised before they get access, and removed afterwards',
      checks: ['user-invitation-accepted', 'user-role-active'],
    },
    {
      id: 'CC6.3',
      title: 'Access follows roles and least privilege, and is changed when they change',
      checks: [
        'api-client-least-privilege',
        'api-client-role-active',
        'permission-catalogue-known',
        'role-permissions-unchanged',
        'user-least-privilege',
        'user-role-active',
      ],
    },
    { id: 'CC6.6', title: 'Access from outside is protected', checks: [...mfa, 'auth-sso-enforced'] },
    { id: 'CC6.7', title: 'Data is protected while it is moved', checks: [] },
    { id: 'CC6.8', title: 'Malicious software is kept out', checks: [] },
    { id: 'CC7.1', title: 'Changes of configuration that weaken security are detected', checks: drift },
    { id: 'CC7.2', title: 'Systems are monitored for signs of attack and error', checks: drift },
    { id: 'CC7.3', title: 'Security events are evaluated', checks: [] },
    { id: 'CC7.4', title: 'Incidents are responded to', checks: [] },
    { id: 'CC8.1', title: 'Changes are authorised, tested and approved', checks: drift },
    { id: 'CC9.2', title: 'Risks of vendors and partners are managed', checks: [] },
  ],
} as const satisfies Framework
