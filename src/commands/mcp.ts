import { Option } from 'commander'
import { exitCodes } from '../model/process/io.ts'
import { addCommand } from './command.ts'

export const addMcp = addCommand<{ readonly exposeDetails?: boolean }>({
  name: 'mcp',
  summary: 'answer questions of an AI assistant: Model Context Protocol over standard input and output',
  options: [new Option('--expose-details', 'include names of persons, e-mails and file names')],
  help: `Your assistant starts it. Works beside a running engine, changes nothing and sends
nothing to the tenant. Without --expose-details it hides what the status page hides
where details are not exposed: answers leave this machine with the assistant.

Examples:
  tenantwatch mcp
  tenantwatch mcp --config /etc/tenantwatch/tenantwatch.yaml`,
  async run({ io, command, options }) {
    const { serveMcp } = await import('./mcp/server.ts')
    await serveMcp({ io, command, details: options.exposeDetails === true })
    return exitCodes.ok
  },
})
