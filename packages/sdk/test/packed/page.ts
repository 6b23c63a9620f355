// Bundled by Vite in an empty project, as a page would be.
import { createPublicClient, formatAmount, parsePrice } from '@presage/sdk';

const client = createPublicClient({ url: location.origin });
const { markets } = await client.listMarkets({ status: 'open' });
document.title = `${markets.length} markets, ${formatAmount(parsePrice('0.55'))}`;
