import { Option } from 'commander'
import { UsageError } from '../model/errors.ts'
import { exitCodes, print } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { createDelivery } from '../notify/delivery.ts'
import { testMessage } from '../notify/message.ts'
import { addCommand } from './command.ts'
import { loadConfiguration } from './support/configuration.ts'
import { createLog } from './support/logger.ts'
import { oneOf } from './support/options.ts'

export const addNotify = addCommand<{ readonly test: string }>({
  name: 'notify',
  summary: 'send a test message to a target of notifications',
  options: [new Option('--test <name>', 'name of the target in the configuration').makeOptionMandatory()],
  help: `The daemon sends notifications (docs/notifications.md); this tries a target.

Exit: 0 delivered; 2 usage or configuration; 3 not delivered.

Example:
  tenantwatch notify --test security`,
  async run({ io, command, options }) {
    const { settings } = loadConfiguration(io, command)
    const { notifications, server } = settings
    const names = notifications.map(({ name }) => name)
    if (names.length === 0) throw new UsageError('The configuration has no notifications; see docs/notifications.md')
    const name = oneOf('target', names, options.test)
    const target = notifications.find((one) => one.name === name)
    if (target === undefined) throw new Error(`No target ${name}`)
    await using delivery = createDelivery(io, await createLog(io, 'warn'))
    try {
      await delivery.deliver(target, testMessage(name, server.externalUrl, io.clock.now()), io.stop)
    } catch (error) {
      print(io, `${name}: not delivered. ${printable(error instanceof Error ? error.message : String(error))}`)
      return exitCodes.failed
    }
    print(io, `${name}: delivered`)
    return exitCodes.ok
  },
})
