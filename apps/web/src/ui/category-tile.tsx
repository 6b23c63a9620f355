// A market's category as a coloured tile with its icon.
import type { Market } from '@presage/sdk';
import { Icon, type IconName } from './icon.tsx';

const LOOKS: Readonly<Record<string, { readonly text: string; readonly icon: IconName; readonly tone: string }>> = {
  defi: { text: 'DeFi', icon: 'layers', tone: 'cat-defi' },
  protocol: { text: 'Protocol', icon: 'cube', tone: 'cat-protocol' },
  stablecoin: { text: 'Stablecoin', icon: 'coin', tone: 'cat-stable' },
  general: { text: 'General', icon: 'globe', tone: 'cat-general' },
};

export function categoryText(category: Market['category']): string {
  return LOOKS[category]?.text ?? category.replace(/^./, (letter) => letter.toUpperCase()).replaceAll('-', ' ');
}

export function categoryIcon(category: Market['category']): IconName {
  return LOOKS[category]?.icon ?? 'globe';
}

interface CategoryTileProps extends Pick<Market, 'category'> {
  readonly isLarge?: boolean;
}

export function CategoryTile({ category, isLarge = false }: CategoryTileProps) {
  return (
    <span className={`tile ${isLarge ? 'lg' : ''} ${LOOKS[category]?.tone ?? 'cat-general'}`} aria-hidden="true">
      <Icon name={categoryIcon(category)} size={isLarge ? 24 : 18} />
    </span>
  );
}
