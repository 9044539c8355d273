import { checks } from '../../checks/index.ts'
import type { Catalogue } from '../../config/settings.ts'
import { resources } from '../../resources/index.ts'

/** What the configuration must know of resources and checks. */
export const catalogue: Catalogue = { resources, checks }
