import type { Framework } from './framework.ts'

/** AICPA Trust Services Criteria 2017 (points of focus of 2022): common criteria on access, change and monitoring. */
export const soc2 = {
  id: 'soc2',
  name: 'SOC 2, Trust Services Criteria 2017',
  aliases: ['soc2', 'tsc'],
  requirements: [
    { id: 'CC2.1', title: 'Controls use relevant information of good quality' },
    { id: 'CC4.1', title: 'Controls are evaluated, ongoing and separately' },
    { id: 'CC5.3', title: 'Policies and procedures implement controls' },
    { id: 'CC6.1', title: 'Logical access to protected assets is restricted' },
    { id: 'CC6.2', title: 'Users are registered and authorized before they get access, and removed afterwards' },
    { id: 'CC6.3', title: 'Access follows roles and least privilege, and is changed when they change' },
    { id: 'CC6.6', title: 'Access from outside is protected' },
    { id: 'CC6.7', title: 'Data is protected while it is moved' },
    { id: 'CC6.8', title: 'Malicious software is kept out' },
    { id: 'CC7.1', title: 'Changes of configuration that weaken security are detected' },
    { id: 'CC7.2', title: 'Systems are monitored for signs of attack and error' },
    { id: 'CC7.3', title: 'Security events are evaluated' },
    { id: 'CC7.4', title: 'Incidents are responded to' },
    { id: 'CC8.1', title: 'Changes are authorized, tested and approved' },
    { id: 'CC9.2', title: 'Risks of vendors and partners are managed' },
  ],
} as const satisfies Framework
