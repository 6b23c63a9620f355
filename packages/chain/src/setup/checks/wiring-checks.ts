// Checks that the contracts refer to each other, and were deployed with the settings of the chains file.
import { readContractsFeatures } from '../../contracts-version.ts';
import { ContractReverted, callContract } from '../../typed-contract.ts';
import { type ChainCheck, fault, isSame } from './chain-fault.ts';

const REDEPLOY = 'They are of two deployments: name the addresses of one, as `presage deploy` wrote them.';

export const checkWiring: ChainCheck = async ({ settings, contracts }) => {
  const { settlement, marketFactory } = contracts;
  const { stablecoin, conditionalTokens, oracle } = settings.contracts;
  const market = contracts.market(await marketFactory.read('marketImplementation', []));
  const expected: [string, string, string][] = [
    ["the settlement's collateral", await settlement.read('collateral', []), stablecoin],
    ["the settlement's conditional tokens", await settlement.read('conditionalTokens', []), conditionalTokens],
    ["the market factory's settlement", await marketFactory.read('settlement', []), settings.contracts.settlement],
    ["the markets' settlement", await market.read('settlement', []), settings.contracts.settlement],
    ["the markets' collateral", await market.read('collateral', []), stablecoin],
    ["the markets' conditional tokens", await market.read('conditionalTokens', []), conditionalTokens],
    ["the markets' oracle", await market.read('oracle', []), oracle],
  ];
  return expected.map(toFault);
};

export const checkQuickWiring: ChainCheck = async ({ settings, contracts }) => {
  const { priceOracle, quickMarketFactory } = settings.contracts;
  if ((priceOracle === undefined) !== (quickMarketFactory === undefined)) {
    const remedy = 'Name contracts.priceOracle and contracts.quickMarketFactory both, or neither.';
    return [fault('quick markets need a price oracle and a factory, and one of them is not named', remedy)];
  }
  if (contracts.quick === undefined || priceOracle === undefined) return [];
  const { factory } = contracts.quick;
  const market = contracts.quick.market(await factory.read('marketImplementation', []));
  const { settlement, stablecoin, conditionalTokens } = settings.contracts;
  const expected: [string, string, string][] = [
    ["the quick market factory's settlement", await factory.read('settlement', []), settlement],
    ["the quick markets' settlement", await market.read('settlement', []), settlement],
    ["the quick markets' collateral", await market.read('collateral', []), stablecoin],
    ["the quick markets' conditional tokens", await market.read('conditionalTokens', []), conditionalTokens],
    ["the quick markets' price oracle", await market.read('priceOracle', []), priceOracle],
  ];
  return expected.map(toFault);
};

export const checkEventWiring: ChainCheck = async ({ settings, contracts }) => {
  if (contracts.events === undefined) return [];
  if (!(await readContractsFeatures(contracts)).hasEvents) {
    const remedy = 'Leave out contracts.eventFactory.';
    return [fault('an event factory is named, and the contracts are of a version without events', remedy)];
  }
  const { factory, event } = contracts.events;
  const { settlement, stablecoin, conditionalTokens, oracle } = settings.contracts;
  const implementation = event(await factory.read('eventImplementation', []));
  const expected: [string, string, string][] = [
    ["the event factory's settlement", await factory.read('settlement', []), settlement],
    ["the events' settlement", await implementation.read('settlement', []), settlement],
    ["the events' collateral", await implementation.read('collateral', []), stablecoin],
    ["the events' conditional tokens", await implementation.read('conditionalTokens', []), conditionalTokens],
    ["the events' oracle", await implementation.read('oracle', []), oracle],
  ];
  return expected.map(toFault);
};

/** A signed order can still be settled against its trader for that long after a cancellation or a halt. */
export const checkGrace: ChainCheck = async ({ settings, contracts }) => {
  const grace = Number(await contracts.settlement.read('SETTLEMENT_GRACE', []));
  const most = settings.settlementGraceSeconds;
  const remedy = `Deploy with a shorter grace, or set settlementGraceSeconds to ${grace}, knowing what it means for traders.`;
  return [
    grace > most && fault(`the settlement's grace is ${grace} s; settlementGraceSeconds allows ${most} s`, remedy),
  ];
};

export const checkMulticall: ChainCheck = async ({ rpc, settings }) => {
  const { multicall } = settings.contracts;
  const remedy =
    'Name a Multicall3: 0xcA11bde05977b3631167028862bE2a173976CA11 on most chains, or the one that was deployed.';
  // getChainId()
  const answer = await callContract(rpc, { to: multicall, data: '0x3408e470' }).catch((error) => {
    if (error instanceof ContractReverted) return '0x';
    throw error;
  });
  return [
    (answer.length !== 66 || Number(answer) !== settings.chainId) && fault(`${multicall} is no Multicall3`, remedy),
  ];
};

/** With a first block after the first market, that market would never be listed. */
export const checkFirstBlock: ChainCheck = async ({ rpc, settings }) => {
  const { fromBlock, contracts } = settings;
  const head = Number(await rpc.request('eth_blockNumber'));
  const remedy = 'Set fromBlock to the block in which the contracts were deployed.';
  if (fromBlock > head) return [fault(`fromBlock ${fromBlock} is above the head ${head}`, remedy)];
  if (fromBlock === 0) return [];
  // Nodes without old states refuse, which proves nothing.
  const params = [contracts.settlement, `0x${(fromBlock - 1).toString(16)}`];
  const code = await rpc.request('eth_getCode', params).catch(() => '0x');
  return [code !== '0x' && fault(`the settlement was there before fromBlock ${fromBlock}`, remedy)];
};

function toFault([what, found, named]: readonly [string, string, string]) {
  return !isSame(found, named) && fault(`${what} is ${found}, not ${named}`, REDEPLOY);
}
